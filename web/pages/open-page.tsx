/** What do you have? Takes a paste, files, a folder, an archive; with examples for those who have nothing yet. */
import { useContext, useRef } from 'preact/hooks';
import { openFiles, openPaste } from '../drop-files.tsx';
import { chosenFiles } from '../reader/dropped-files.ts';
import { type Example, ExamplesContext, exampleFiles } from '../reader/examples.ts';
import { useReader } from '../reader/profile-reader.ts';
import { DropZone } from '../widgets/drop-zone.tsx';

export function OpenPage() {
  const reader = useReader();
  const examples = useContext(ExamplesContext);
  return (
    <div class="page-profile">
      <h1>Paste, drop or choose what you have of a Go process.</h1>
      <PasteBox />
      <DropZone
        onFiles={files => void openFiles(reader, chosenFiles(files))}
        takesDrops={false}
        button="Choose files"
        folderButton="Choose a folder"
        multiple
      >
        <ul class="drop-kinds">
          <li>
            One profile opens: heap, goroutine, CPU, block, mutex or allocs; as pprof, text or folded stacks; gzipped or
            not. A goroutine dump within a log works, too.
          </li>
          <li>Two or more of one kind are compared, the earliest with the latest.</li>
          <li>
            A folder, an archive or a mix of profiles, metrics and logs is analysed as a whole, as by{' '}
            <code>oakum analyze</code>.
          </li>
        </ul>
        <p class="muted">All of it is read in this tab and never leaves it.</p>
      </DropZone>
      {examples.length > 0 && <Examples examples={examples} />}
    </div>
  );
}

/** A phone has no Ctrl-V. */
function PasteBox() {
  const reader = useReader();
  const field = useRef<HTMLTextAreaElement>(null);
  return (
    <form
      class="paste-box"
      onSubmit={event => {
        event.preventDefault();
        openPaste(reader, field.current?.value ?? '');
      }}
    >
      <textarea
        ref={field}
        class="mono"
        rows={4}
        aria-label="Text to analyse"
        placeholder="Paste an issue, a dump, pprof -top, or numbers of ps, kubectl top or a log: here, or with Ctrl-V anywhere"
        spellcheck={false}
        onPaste={event => {
          const text = event.clipboardData?.getData('text/plain') ?? '';
          // What is pasted into other text is finished by hand.
          if (text.trim() === '' || event.currentTarget.value.trim() !== '') return;
          event.preventDefault();
          openPaste(reader, text);
        }}
      />
      <button type="submit">Analyse the text</button>
    </form>
  );
}

function Examples({ examples }: { readonly examples: readonly Example[] }) {
  const reader = useReader();
  return (
    <section>
      <h2>Examples</h2>
      <ul class="examples">
        {examples.map(example => (
          <li key={example.title}>
            <button
              type="button"
              onClick={() => void openFiles(reader, { files: exampleFiles(example), hasFolder: true })}
            >
              {example.title}
            </button>
            <span class="muted">{example.about}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
