/** An area to drop files on, with buttons to choose them instead. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';

export interface DropZoneProps {
  readonly onFiles: (files: readonly File[]) => void;
  /** False if the page itself takes what is dropped, as it does everywhere. */
  readonly takesDrops?: boolean;
  readonly button: string;
  /** Offers to choose a folder as well. */
  readonly folderButton?: string;
  readonly multiple: boolean;
  readonly children?: ComponentChildren;
}

export function DropZone({ onFiles, takesDrops = true, button, folderButton, multiple, children }: DropZoneProps) {
  const [isOver, setIsOver] = useState(false);
  return (
    <div
      class={`drop${isOver ? ' drop-over' : ''}`}
      onDragOver={event => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={event => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false);
      }}
      onDrop={event => {
        setIsOver(false);
        if (!takesDrops) return;
        event.preventDefault();
        const files = [...(event.dataTransfer?.files ?? [])];
        if (files.length > 0) onFiles(files);
      }}
    >
      {children}
      <p class="drop-choose">
        <Choose button={button} onFiles={onFiles} multiple={multiple} />
        {folderButton !== undefined && <Choose button={folderButton} onFiles={onFiles} isFolder multiple />}
      </p>
    </div>
  );
}

interface ChooseProps {
  readonly button: string;
  readonly onFiles: (files: readonly File[]) => void;
  readonly multiple: boolean;
  readonly isFolder?: boolean;
}

function Choose({ button, onFiles, multiple, isFolder = false }: ChooseProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        {button}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple={multiple}
        {...(isFolder ? { webkitdirectory: true } : {})}
        aria-label={button}
        onChange={event => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = '';
          if (files.length > 0) onFiles(files);
        }}
      />
    </>
  );
}
