/** `oakum catalogue`: lists the known leaks, shows one, or checks your own entries. */
import { lintCatalogue } from '../../knowledge/lint.ts';
import { renderLeak, renderMarkdown, renderTable } from '../../report/catalogue-text.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { Io } from '../terminal/io.ts';
import { catalogueOf, loadCatalogue, type LoadedCatalogue } from '../connect/load-catalogue.ts';
import { EXIT, Failure } from '../../base/errors.ts';
import { renderJson, renderYaml } from '../../report/json.ts';
import { shown } from '../options/option.ts';

export type CatalogueFormat = 'text' | 'json' | 'yaml' | 'markdown';

export interface CatalogueRequest {
  readonly action: 'list' | 'show' | 'lint';
  /** For show. */
  readonly id: string;
  readonly output: CatalogueFormat;
  readonly catalogue: string | undefined;
}

export async function showCatalogue(request: CatalogueRequest, io: Io): Promise<number> {
  const { action, output } = request;
  if (action === 'lint') return lint(await loadCatalogue(request.catalogue, io), output, io);
  const leaks = await catalogueOf(request.catalogue, io);
  if (action === 'list') {
    io.stdout.write(list(leaks, output));
    return EXIT.done;
  }
  const wanted = request.id.toLowerCase();
  const leak = leaks.find(one => one.id === wanted) ?? leaks.find(one => one.refs.includes(wanted));
  if (leak === undefined)
    throw new Failure('usage', `no known leak ${shown(request.id)}; oakum catalogue list shows them all`);
  io.stdout.write(output === 'text' ? renderLeak(leak) : data(leak, output));
  return EXIT.done;
}

function list(leaks: readonly KnownLeak[], format: CatalogueFormat): string {
  if (format === 'text') return renderTable(leaks);
  return format === 'markdown' ? renderMarkdown(leaks) : data(leaks, format);
}

function lint({ leaks, problems: unreadable }: LoadedCatalogue, output: CatalogueFormat, io: Io): number {
  const problems = [
    ...unreadable,
    ...lintCatalogue(leaks).map(({ id, field, problem }) => `${id}: ${field}: ${problem}`),
  ];
  const signatures = leaks.reduce((sum, leak) => sum + leak.signatures.length, 0);
  if (output === 'text') {
    for (const problem of problems) io.stdout.write(`${problem}\n`);
    io.stdout.write(`${leaks.length} known leaks, ${signatures} signatures, ${problems.length} problems\n`);
  } else {
    io.stdout.write(data({ leaks: leaks.length, signatures, problems }, output));
  }
  return problems.length === 0 ? EXIT.done : EXIT.couldNotObserve;
}

function data(value: object, format: CatalogueFormat): string {
  return format === 'yaml' ? renderYaml(value) : renderJson(value);
}
