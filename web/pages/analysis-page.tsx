/** What do these files show? The answer of `oakum analyze` to what was dropped into this tab. */
import { useState } from 'preact/hooks';
import { visible } from '../../src/base/visible-text.ts';
import type { Analysis, AnalysisInput, MissingEvidence, ShownEvidence } from '../../src/judge/analysis.ts';
import { matchConsequences } from '../../src/knowledge/known-leak-match.ts';
import { resourceOf } from '../../src/evidence/resource.ts';
import { mayLeak } from '../../src/judge/verdict.ts';
import { FindingsTable } from './findings-table.tsx';
import { useReader } from '../reader/profile-reader.ts';
import { status } from '../state/live.ts';
import { useAsync } from '../state/use-api.ts';
import { Advice, VerdictMark, Why } from '../widgets/verdict.tsx';
import { type FactsColumn, FactsTable } from '../widgets/facts-table.tsx';
import { LedgerList } from '../widgets/ledger.tsx';
import { copyText } from '../widgets/copy-text.ts';
import { Notice } from '../widgets/loading-states.tsx';
import { Timestamp } from '../widgets/timestamp.tsx';
import type { PageProps } from '../state/router.ts';

export function AnalysisPage({ params }: PageProps) {
  const { id = '' } = params;
  const reader = useReader();
  const { value: analysis, error } = useAsync(() => reader.analyze(id), [id]);
  if (error !== undefined) {
    return (
      <Notice kind="error" title={`Cannot analyse these files: ${error.message}`}>
        <p class="notice-steps">
          <a href="/p/upload">Open files</a>
        </p>
      </Notice>
    );
  }
  if (analysis === undefined) {
    return (
      <p class="delayed muted" role="status">
        Analysing …
      </p>
    );
  }
  return <Analysed analysis={analysis} pile={id} />;
}

function Analysed({ analysis, pile }: { readonly analysis: Analysis; readonly pile: string }) {
  const { verdict, sentence, reasons, findings, missing, inputs, shown } = analysis;
  const ledger = analysis.ledgers.find(one => mayLeak(one.verdict));
  const advice = [...new Set(findings.filter(one => mayLeak(one.verdict)).flatMap(one => one.advice))];
  const reader = useReader();
  const keys = new Map((reader.pile(pile) ?? []).map(({ path, key }) => [path, key]));
  const pairs = firstAndLast(inputs, keys);
  return (
    <div class="page-analysis">
      <div class="answer">
        <VerdictMark verdict={verdict} />
        <h1>
          <span class={`answer-verdict verdict-${verdict}`}>{verdict}</span> {visible(sentence)}
        </h1>
        <Why of="the answer" reasons={reasons} />
      </div>
      {advice.length > 0 && (
        <section>
          <h2>Do now</h2>
          <Advice lines={advice} />
        </section>
      )}
      {pairs.length > 0 && <Pairs pairs={pairs} />}
      {ledger !== undefined && (
        <section>
          <h2>Evidence</h2>
          <LedgerList ledger={ledger} of={resourceOf(ledger.resource)} />
        </section>
      )}
      {findings.length > 0 && (
        <section>
          <h2 id="families-title">Families</h2>
          <FindingsTable analysis={analysis} />
        </section>
      )}
      {shown.map(one => (
        <Shown key={`${one.what}${one.line ?? ''}${one.path}`} shown={one} />
      ))}
      {missing.length > 0 && <Missing missing={missing} />}
      <Files inputs={inputs} keys={keys} />
      <Report pile={pile} />
    </div>
  );
}

/** A piece of what was pasted: what it says and does not say, and what would decide. */
function Shown({ shown }: { readonly shown: ShownEvidence }) {
  const { what, path, line, shows, lacks, matches, decides } = shown;
  return (
    <section>
      <h2>{visible(what)}</h2>
      <p class="muted">
        {visible(path)}
        {line !== null && `, line ${line}`}
      </p>
      <ul class="advice">
        {shows.map(text => (
          <li key={text}>{visible(text)}</li>
        ))}
        {matches.map(match => (
          <li key={match.id}>
            May be {visible(match.ref)}: {visible(match.title)}; {matchConsequences(match).join('; ')}
          </li>
        ))}
      </ul>
      {lacks.length > 0 && <p class="muted">It does not show {lacks.map(text => visible(text)).join('; ')}.</p>}
      {decides !== null && (
        <p>
          What would decide: {visible(decides.why)}. <code>{visible(decides.command)}</code>
        </p>
      )}
    </section>
  );
}

function Pairs({ pairs }: { readonly pairs: readonly PairLink[] }) {
  return (
    <section>
      <h2>What grew</h2>
      <p class="notice-steps">
        {pairs.map(({ kind, url }) => (
          <a key={kind} class="button" href={url}>
            Compare the first {kind} profile with the last
          </a>
        ))}
      </p>
    </section>
  );
}

/** Made only if somebody wants it: it reads the files once more. */
function Report({ pile }: { readonly pile: string }) {
  const reader = useReader();
  const [isWanted, want] = useState(false);
  const [copied, setCopied] = useState('');
  const version = status.value?.version ?? '';
  const { value: report, error } = useAsync(() => (isWanted ? reader.report(pile, version) : undefined), [isWanted]);
  const copy = async (): Promise<void> =>
    setCopied((await copyText(report ?? '')) ? 'Copied.' : 'This browser does not allow copying; select the text.');
  return (
    <section>
      <h2 id="report-title">Report</h2>
      <p class="muted">
        What the evidence proves, as Markdown for the maintainers of the program. Names of nodes, pods and tenants are
        replaced; those of functions and packages are not. Read it before you publish it.
      </p>
      {report === undefined ? (
        <p class="notice-steps">
          <button type="button" disabled={isWanted && error === undefined} onClick={() => want(true)}>
            Write a report
          </button>
          {error !== undefined && <span role="alert">{visible(error.message)}</span>}
        </p>
      ) : (
        <>
          <textarea class="report-text mono" aria-labelledby="report-title" readOnly rows={16} value={report} />
          <p class="notice-steps">
            <button type="button" onClick={() => void copy()}>
              Copy the report
            </button>
            <span role="status">{copied}</span>
          </p>
        </>
      )}
    </section>
  );
}

function Missing({ missing }: { readonly missing: readonly MissingEvidence[] }) {
  return (
    <section>
      <h2>What would say more</h2>
      <ul class="advice">
        {missing.map(({ what, why, command }) => (
          <li key={what}>
            {visible(what)}: {visible(why)}
            {command !== '' && (
              <>
                ; <code>{visible(command)}</code>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface FilesProps {
  readonly inputs: readonly AnalysisInput[];
  readonly keys: ReadonlyMap<string, string>;
}

function Files({ inputs, keys }: FilesProps) {
  const columns: readonly FactsColumn<AnalysisInput>[] = [
    {
      name: 'File',
      kind: 'title',
      isHead: true,
      cell: ({ path, kind, error }) => {
        const key = keys.get(path);
        const opens = key !== undefined && error === null && OPENED.has(kind);
        return <span class="mono">{opens ? <a href={`/p/${key}`}>{visible(path)}</a> : visible(path)}</span>;
      },
    },
    { name: 'Kind', kind: 'text', cell: ({ kind, error }) => (error === null ? kind : '') },
    { name: 'Process', kind: 'text', cell: ({ target }) => visible(target) },
    { name: 'Taken', kind: 'text', cell: ({ takenAt }) => <Taken at={takenAt} /> },
    { name: 'Note', kind: 'text', cell: ({ error, truncated }) => visible(error ?? truncated ?? '') },
  ];
  return (
    <section>
      <h2 id="files-title">Files</h2>
      <FactsTable
        labelledBy="files-title"
        class="analysis-files"
        columns={columns}
        rows={inputs.slice(0, MAX_FILES_SHOWN)}
        rowKey={({ path }) => path}
      />
      {inputs.length > MAX_FILES_SHOWN && <p class="muted">{inputs.length - MAX_FILES_SHOWN} more.</p>}
    </section>
  );
}

const MAX_FILES_SHOWN = 200;

/** Kinds that the profile page shows. */
const OPENED: ReadonlySet<string> = new Set(['heap', 'allocs', 'goroutine', 'cpu', 'block', 'mutex', 'threadcreate']);

function Taken({ at }: { readonly at: string | null }) {
  const seconds = at === null ? NaN : Date.parse(at) / 1000;
  return Number.isNaN(seconds) ? null : <Timestamp at={seconds} />;
}

/** For each kind of profile, a link that compares the earliest with the latest of one process. */
interface PairLink {
  readonly kind: string;
  readonly url: string;
}

const COMPARED = ['heap', 'goroutine'];

/** `keys`: the files of this tab by path. Files inside an archive have none. */
export function firstAndLast(inputs: readonly AnalysisInput[], keys: ReadonlyMap<string, string>): PairLink[] {
  return COMPARED.flatMap(kind => {
    const of = inputs
      .filter(input => input.kind === kind && input.error === null && input.takenAt !== null && keys.has(input.path))
      .toSorted((a, b) => (a.takenAt ?? '').localeCompare(b.takenAt ?? ''));
    const last = of.at(-1);
    const first = of.find(({ target }) => target === last?.target);
    if (first === undefined || last === undefined || first.takenAt === last.takenAt) return [];
    return [{ kind, url: `/compare?a=${keys.get(first.path)}&b=${keys.get(last.path)}` }];
  });
}
