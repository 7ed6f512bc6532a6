/** An area to drop files on, with a button to choose them instead. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';

export interface DropZoneProps {
  readonly onFiles: (files: readonly File[]) => void;
  readonly button: string;
  readonly multiple: boolean;
  readonly children?: ComponentChildren;
}

export function DropZone({ onFiles, button, multiple, children }: DropZoneProps) {
  const [isOver, setIsOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
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
        event.preventDefault();
        setIsOver(false);
        const files = [...(event.dataTransfer?.files ?? [])];
        if (files.length > 0) onFiles(files);
      }}
    >
      {children}
      <p class="drop-choose">
        <button type="button" onClick={() => input.current?.click()}>
          {button}
        </button>
        <input
          ref={input}
          type="file"
          hidden
          multiple={multiple}
          aria-label={button}
          onChange={event => {
            const files = [...(event.currentTarget.files ?? [])];
            event.currentTarget.value = '';
            if (files.length > 0) onFiles(files);
          }}
        />
      </p>
    </div>
  );
}
