/**
 * Where opened profiles lie while the page looks at them, off the page's own thread.
 *
 *     const desk = new ProfileDesk(compileGoRegexp);
 *     await desk.answer('open', { key: 'local-1', name: 'heap.pb.gz', bytes });
 *     const { tree } = await desk.answer('view', { after: 'local-1', before: undefined, choice });
 */
import { assert } from '../../src/base/assert.ts';
import { familyGrowth } from '../../src/analysis/growth/family-growth.ts';
import type { CompileRegexp } from '../../src/pprof/units/regexp.ts';
import { buildTree, matchingFrames } from './build-tree.ts';
import type { Answers, Asked, GrowthView, Questions, View } from './messages.ts';
import { gunzipped } from './gunzip.ts';
import { matchesOf, openProfile, type OpenedProfile, type Opening } from './open-profile.ts';
import { summariseLabels } from './sample-labels.ts';

type Handlers = { readonly [K in Asked]: (question: Questions[K]) => Answers[K] | Promise<Answers[K]> };

export class ProfileDesk {
  private readonly openings = new Map<string, Opening>();
  private names: readonly string[] = [];
  private readonly compile: CompileRegexp;

  constructor(compile: CompileRegexp) {
    this.compile = compile;
  }

  async answer<K extends Asked>(ask: K, question: Questions[K]): Promise<Answers[K]> {
    return this.handlers[ask](question);
  }

  private readonly handlers: Handlers = {
    open: question => this.open(question),
    view: question => this.view(question),
    match: ({ source }) => {
      const { names } = this;
      return matchingFrames({ length: names.length, name: frame => names[frame] }, source, this.compile);
    },
    growth: question => this.growth(question),
    close: ({ key }) => {
      this.openings.delete(key);
      return null;
    },
  };

  private async open({ key, name, bytes }: Questions['open']): Promise<OpenedProfile> {
    const opening = openProfile(await gunzipped(bytes), name);
    this.openings.set(key, opening);
    return opening.opened;
  }

  private view({ after, before, choice }: Questions['view']): View {
    const { profile } = this.find(after);
    const compared = before === undefined ? undefined : this.find(before).profile;
    const tree = buildTree(profile, compared, choice, this.compile);
    this.names = tree.frames.names;
    const column = profile.sampleTypes.findIndex(({ type }) => type === choice.sampleType);
    return { tree, labels: column < 0 ? [] : summariseLabels(profile, column) };
  }

  private growth({ before, after, operations }: Questions['growth']): GrowthView {
    const snapshots = [this.find(before).opened, this.find(after).opened];
    const inputs = snapshots.flatMap(({ families, takenAt }) =>
      families === undefined ? [] : [{ processKey: 'compared', table: families, atSeconds: takenAt }],
    );
    if (inputs.length < 2 || inputs[0].table.kind !== inputs[1].table.kind) return { growths: [], matches: new Map() };
    // The user chose the order; without it, a clock that was set back would turn growth into shrinking.
    const inOrder = isAscending(inputs.map(({ atSeconds }) => atSeconds))
      ? inputs
      : inputs.map(input => ({ ...input, atSeconds: undefined }));
    const growths = familyGrowth(inOrder, { operations });
    const growing = new Set(growths.filter(({ significant }) => significant).map(({ family }) => family.id));
    return { growths, matches: matchesOf(inputs[1].table.counts, growing) };
  }

  private find(key: string): Opening {
    const opening = this.openings.get(key);
    assert(opening !== undefined, `profile ${key} is not open`);
    return opening;
  }
}

function isAscending(times: readonly (number | undefined)[]): boolean {
  return times.every((time, i) => time !== undefined && (i === 0 || time > (times[i - 1] ?? Infinity)));
}
