/**
 * Holds the open profiles and answers the page's requests. Runs in a worker, so that the page stays responsive.
 *
 *     const service = new ProfileService(compileGoRegexp);
 *     await service.handle('open', { key: 'local-1', name: 'heap.pb.gz', bytes });
 *     const { tree } = await service.handle('view', { after: 'local-1', before: undefined, options });
 */
import { familyGrowth } from '../../src/judge/growth/family-growth.ts';
import type { GrowthView, ProfileView, ReportRequest, RequestKind, Requests, Responses } from './messages.ts';
import { filterProfile } from './filter-profile.ts';
import { NO_FILTERS, type TreeOptions } from './filters.ts';
import { gunzipped } from './gunzip.ts';
import { matchesOf, openProfile, type OpenedProfile, type LoadedProfile } from './open-profile.ts';
import { graphView, peekView, sourceView, type ReportInput } from './report-views.ts';
import { summariseLabels } from './sample-labels.ts';
import { familiesOf } from '../../src/evidence/snapshots/families-of.ts';
import { BUNDLED_LEAKS } from '../../src/knowledge/bundled.ts';
import { analyzePile } from '../../src/judge/process/analyze-pile.ts';
import { subjectOf } from '../../src/judge/explain/explain-pile.ts';
import { readPile } from '../../src/evidence/snapshots/read-pile.ts';
import type { Analysis } from '../../src/judge/analysis.ts';
import { pileItems, type PileFile } from './pile-items.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { type CallTree, FrameTable } from '../profiles/call-tree.ts';
import { layOut } from '../profiles/lay-out.ts';
import { groupStacks } from '../profiles/group-stacks.ts';
import { stackList } from './stack-list.ts';
import { redactedItems } from '../../src/evidence/redaction/redact-pile.ts';
import { Redactor } from '../../src/evidence/redaction/redactor.ts';
import { gatherFacts, readIssuePile } from '../../src/report/issue/gather-facts.ts';
import { renderIssue } from '../../src/report/issue/render.ts';
import { assert, FormatError } from '../../src/base/errors.ts';
import type { CompileRegexp } from '../../src/profile/pprof/go-regexp.ts';

type Handlers = { readonly [K in RequestKind]: (request: Requests[K]) => Responses[K] | Promise<Responses[K]> };

export class ProfileService {
  private readonly profiles = new Map<string, LoadedProfile>();
  /** The frames of the last view. */
  private names: readonly string[] = [];
  private readonly compile: CompileRegexp;

  constructor(compile: CompileRegexp) {
    this.compile = compile;
  }

  async handle<K extends RequestKind>(kind: K, request: Requests[K]): Promise<Responses[K]> {
    return this.handlers[kind](request);
  }

  private readonly handlers: Handlers = {
    open: request => this.open(request),
    view: request => this.view(request),
    match: ({ source }) => {
      const { names } = this;
      return matchingFrames({ length: names.length, name: frame => names[frame] ?? '' }, source, this.compile);
    },
    peek: request => peekView(this.input(request), this.compile),
    graph: request => graphView(this.input(request), this.compile),
    source: request => sourceView(this.input(request), this.compile),
    growth: request => this.growth(request),
    analyze: ({ files }) => analyzeFiles(files),
    report: request => reportOn(request),
    close: ({ key }) => {
      this.profiles.delete(key);
      return null;
    },
  };

  private async open({ key, name, bytes }: Requests['open']): Promise<OpenedProfile> {
    const loaded = openProfile(await gunzipped(bytes), name);
    this.profiles.set(key, loaded);
    return loaded.opened;
  }

  private view({ after, before, options }: Requests['view']): ProfileView {
    const { profile } = this.find(after);
    const compared = before === undefined ? undefined : this.find(before).profile;
    const tree = buildTree(profile, compared, options, this.compile);
    this.names = tree.frames.names;
    const warnings = [profile, ...(compared === undefined ? [] : [compared])].map(
      side => filterProfile(side, options.filters ?? NO_FILTERS, this.compile).warnings,
    );
    // In a comparison, a filter that matches one of the two is right.
    const [first = [], second = first] = warnings;
    const shared = first.filter(warning => second.includes(warning));
    return { tree, labels: summariseLabels(profile, compared, options.sampleType), warnings: shared };
  }

  private input(request: ReportRequest): ReportInput {
    const before = request.before === undefined ? undefined : this.find(request.before).profile;
    return { ...request, after: this.find(request.after).profile, before };
  }

  private growth({ before, after, operations }: Requests['growth']): GrowthView {
    const [from, to] = [this.find(before).opened, this.find(after).opened];
    if (from.families === undefined || from.families.kind !== to.families?.kind) {
      return { growths: [], matches: new Map() };
    }
    // The user chose the order: if the clocks say otherwise, leave the times out.
    const isInOrder = from.takenAt !== undefined && to.takenAt !== undefined && from.takenAt < to.takenAt;
    const snapshots = [from.families, to.families].map((table, i) => ({
      processKey: 'compared',
      table,
      atSeconds: isInOrder ? [from.takenAt, to.takenAt][i] : undefined,
    }));
    const growths = familyGrowth(snapshots, { operations });
    const byId = new Map(growths.map(growth => [growth.family.id, growth]));
    const grows = (id: string): boolean | undefined => {
      const { delta = 0, significant = false } = byId.get(id) ?? {};
      // Larger, but maybe only by the chance of sampling.
      return !significant && delta > 0 ? undefined : significant;
    };
    return { growths, matches: matchesOf(to.families.counts, grows) };
  }

  private find(key: string): LoadedProfile {
    const loaded = this.profiles.get(key);
    assert(loaded !== undefined, `profile ${key} is not open`);
    return loaded;
  }
}

/** The answer of `oakum analyze` to dropped files, computed in this tab. */
export async function analyzeFiles(files: readonly PileFile[]): Promise<Analysis> {
  const pile = await readPile(pileItems(files), { families: familiesOf, subject: subjectOf, keepStacks: false });
  return analyzePile(pile, { catalogue: BUNDLED_LEAKS });
}

/** What `oakum report --for upstream` writes. Names are replaced by random ones, the same throughout the report. */
async function reportOn({ files, oakumVersion }: Requests['report']): Promise<string> {
  const redactor = new Redactor(() => crypto.getRandomValues(new Uint8Array(16)));
  // As paths below one root, which is nobody's folder.
  const rooted = files.map(file => ({ ...file, path: `/${file.path}` }));
  const pile = await readIssuePile(redactedItems(pileItems(rooted), [''], redactor));
  const facts = gatherFacts(pile, { catalogue: BUNDLED_LEAKS, operations: undefined, oakumVersion, redacted: true });
  if (facts.targets.length === 0) throw new FormatError('nothing here is a profile, a goroutine dump or metrics');
  return renderIssue(facts, 'upstream');
}

/**
 * Builds the call tree of one profile, or of two, from the samples that the user selects.
 *
 * `before` is undefined unless two profiles are compared.
 */
export function buildTree(
  after: Profile,
  before: Profile | undefined,
  options: TreeOptions,
  compile: CompileRegexp,
): CallTree {
  const filters = options.filters ?? NO_FILTERS;
  const table = new FrameTable();
  const sides = [after, ...(before === undefined ? [] : [before])].map(
    side => filterProfile(side, filters, compile).profile,
  );
  const nodes = groupStacks(stackList(sides, table, options));
  const whole = { after: totalOf(after, options), before: before === undefined ? 0 : totalOf(before, options) };
  return layOut(nodes, {
    frames: table.finish(),
    hasBefore: before !== undefined,
    widthOf: options.widthOf,
    whole: filters.relative ? undefined : whole,
  });
}

function columnOf({ sampleTypes }: Profile, { sampleType }: TreeOptions): number {
  return sampleTypes.findIndex(({ type }) => type === sampleType);
}

function totalOf(profile: Profile, options: TreeOptions): number {
  const values = profile.samples.values[columnOf(profile, options)];
  let total = 0;
  for (let sample = 0; values !== undefined && sample < profile.samples.length; sample++) {
    total += Number(values[sample]);
  }
  return total;
}

/** By frame: 1 if its name matches. */
function matchingFrames(
  names: { readonly length: number; name(frame: number): string },
  source: string,
  compile: CompileRegexp,
): Uint8Array {
  const expression = compile(source);
  return Uint8Array.from({ length: names.length }, (_, frame) => (expression.matches(names.name(frame)) ? 1 : 0));
}
