/**
 * `oakum watch`: samples, judges, keeps evidence and answers the server.
 *
 *     const watch = createWatch(ports, options);
 *     await watch.start();                       // resumes where the store ends
 *     watch.addTarget({ name: 'node/worker-17', connection, attributes: {} });
 *
 *     targets -> samples -> store
 *                        -> detector -> verdicts -> incidents
 *                        -> triggers -> captures -> analysis -> matches
 */
import { formatAge } from '../base/say.ts';
import { oneLine } from '../base/text-layout.ts';
import { clusterOf, nodeName } from '../evidence/target.ts';
import type { TargetVerdict } from '../judge/detect/detection.ts';
import type { StoredIncident } from '../store/records.ts';
import type { WatchEvent, FileOrigin, CohortsView, TargetChange } from './watch-model.ts';
import { CaptureBudget, RoutineBudget } from './state/capture-policy.ts';
import { ClusterStates, MissingRights } from './state/cluster-states.ts';
import { followVerdicts } from './incidents/follow-verdicts.ts';
import { foldMembers, followCohorts } from './incidents/follow-cohorts.ts';
import { incidentAnswers } from './incident-answers.ts';
import { addStep, idSuffix, Incidents } from './state/incidents.ts';
import { UpdateDraft } from './replicas/update-draft.ts';
import { ALONE } from './state/share.ts';
import { Sharing } from './replicas/sharing.ts';
import { givenAttributes } from '../evidence/read-attribute-file.ts';
import { describeTarget } from './state/describe-target.ts';
import { NodeFacts } from './state/node-facts.ts';
import { closeAsGone, notePlan } from './incidents/life-cycle.ts';
import { readHistories, isHistoryComplete } from './state/read-history.ts';
import { recallStored } from './state/recall-stored.ts';
import { considerProfiler } from './incidents/read-profiler.ts';
import { captureOnRequest, considerCapture } from './incidents/run-captures.ts';
import { sampleTarget, takeSample } from './sampling/sample-target.ts';
import { Sampler } from './sampling/sampler.ts';
import { captureView, incidentFigures, incidentSummary } from './views/incident-view.ts';
import { fleetRows } from './views/fleet-row.ts';
import { FleetViews } from './views/fleet-view.ts';
import { rolloutView } from './views/rollout-view.ts';
import { selfMetrics } from './views/self-metrics.ts';
import { statusView } from './views/status-view.ts';
import { targetMetrics } from './views/target-metrics.ts';
import { targetView, causeOf } from './views/target-view.ts';
import type { Watch } from './watch-service.ts';
import {
  newCounters,
  type WatchOptions,
  type WatchState,
  type WatchPorts,
  Story,
  tell,
  tellOfFleet,
} from './state/watch-state.ts';
import { isSelf, selfName, WatchedTarget } from './state/watched-target.ts';
import { viewOfLeaks, type CatalogueView } from '../knowledge/view.ts';
import type { CycleObservation } from '../evidence/cycle/cycle.ts';
import { APPLY_CONTROLLER } from '../evidence/plan-marks.ts';
import type { WatchClock } from '../base/clock.ts';
import { mayLeak, compareVerdicts } from '../judge/verdict.ts';
import { recordedCohort } from '../judge/detect/recorded-cohort.ts';
import { readChangeText, targetSentence } from './incidents/phrases.ts';
import { listedCohort } from './views/cohort-incident-view.ts';
import { yieldToEventLoop } from '../base/bounded-work.ts';
import type { NodeStanding } from './views/fleet.ts';
import { explanationOf } from './incidents/cause-phrases.ts';
import { entryOf } from './views/fleet-entry.ts';
import { fleetSentence } from './views/fleet-sentence.ts';
import { FleetTotals } from './views/fleet-totals.ts';
import { withMethods } from '../base/with-methods.ts';
import type { Exchange } from './replicas/ports.ts';
import type { ReplicaUpdate } from './replicas/update.ts';

/** In the detector's hours: by then the new process speaks for itself, however the slopes compare. */
const SETTLED_HOURS = 48;

/** Which attribute values come with growth, and who changed when. */
const CHANGES_SECONDS = 14 * 86_400;

/** In a large fleet, cohorts without a finding are left out beyond this many. */
const MAX_COHORTS = 500;

/** Up to this many targets, every sample is an event; in a larger fleet, only those of targets with an incident. */
const SMALL_FLEET = 200;
const STATUS_MILLISECONDS = 2000;
/** Evaluations take at most this share of the time. */
const EVALUATION_SHARE = 0.1;
/** Reading that takes less is not logged. */
const LOGGED_SECONDS = 10;
/** The least time between two evaluations while histories are read. */
const JUDGE_READ_SECONDS = 60;
/** Of attributes, in one answer. */
const MAX_CHANGES = 20_000;

export function createWatch(
  given: WatchPorts,
  options: WatchOptions,
  self: () => Readonly<Record<string, number>>,
): Watch {
  const { exchange, share = ALONE } = given;
  const outgoing = exchange === undefined ? undefined : new UpdateDraft();
  const ports = exchange === undefined || outgoing === undefined ? given : publishingPorts(given, outgoing, exchange);
  const { clock, store, background } = ports;
  const ownName = selfName(share.id);
  const suffix = idSuffix(share.id);
  const stop = new AbortController();
  const listeners = new Set<(event: WatchEvent) => void>();
  const state: WatchState = {
    options,
    ports,
    startedAt: clock.now(),
    share,
    outgoing,
    targets: new Map(),
    nodes: new NodeFacts(),
    incidents: new Incidents(
      { save: incident => ports.store.put({ kind: 'incident', record: incident }), saveAsLeader },
      suffix,
    ),
    captures: new Map(),
    newCaptureIds: new Set(),
    budget: new CaptureBudget(options.policy),
    routineBudget: new RoutineBudget(options.policy),
    profilerBudget: new CaptureBudget(options.policy),
    readingProfiler: new Set(),
    pending: [],
    described: [],
    cohorts: [],
    missingRights: new MissingRights(options.intervalSeconds),
    clusters: new ClusterStates(options.clusters ?? []),
    story: new Story(),
    counters: newCounters(),
    working: new Set(),
    stopping: stop.signal,
    emit: event => {
      if (event.kind === 'fleet') fleet.forget();
      for (const listener of listeners) listener(event);
    },
  };
  const fleet = new FleetViews(state);
  const sampler = new Sampler(
    {
      clock,
      random: ports.random,
      ask,
      ...(exchange === undefined ? {} : { lastSampleAt: name => state.targets.get(name)?.samples.lastAt }),
    },
    {
      intervalSeconds: options.intervalSeconds,
      concurrency: options.concurrency,
      groupOf: name => clusterOf(name) ?? '',
    },
  );
  const sharing =
    exchange === undefined || outgoing === undefined
      ? undefined
      : new Sharing({
          state,
          outgoing,
          exchange,
          sampler,
          addSelf: name => service.addTarget({ name, connection: undefined, attributes: {} }),
          remove: name => service.removeTarget(name),
        });
  /** Targets of an earlier run, until they are found again. */
  let remembered = new Map<string, WatchedTarget>();
  let judging: Promise<void> = Promise.resolve();
  let isBackfilling = false;
  let statusAt = -Infinity;
  /** By the clock of the watched cluster, which may run faster than real time. */
  let evaluationTookSeconds = 0;
  let cohortsHour = -1;
  const loops: Promise<void>[] = [];

  function saveAsLeader(incident: StoredIncident): void {
    if (sharing === undefined) ports.store.put({ kind: 'incident', record: incident });
    else sharing.saveAsLeader(incident);
  }

  async function ask(name: string): Promise<boolean> {
    const target = state.targets.get(name);
    if (target === undefined) return false;
    // After a sleep, this replica may not know yet that another one samples the target now.
    if (!share.owns(name)) return true;
    try {
      const answered = await sampleTarget(state, target);
      if (answered && (state.targets.size <= SMALL_FLEET || target.incidentId !== undefined))
        state.emit({ kind: 'target', target: name, at: clock.now() });
      return answered;
    } catch (error) {
      target.silentWhy = `reading its metrics failed: ${oneLine((error as Error).message)}`;
      state.counters.failures++;
      return false;
    }
  }

  function flush(): void {
    if (state.described.length > 0) background.describe(state.described.splice(0));
    if (state.pending.length > 0) background.observe(state.pending.splice(0));
  }

  async function commit(): Promise<void> {
    flush();
    const began = performance.now();
    await store.commit();
    state.counters.commits++;
    state.counters.commitSeconds += (performance.now() - began) / 1000;
    if (share.isLeader) await store.maintain(clock.now());
    await sharing?.follow();
    if (performance.now() - statusAt < STATUS_MILLISECONDS) return;
    statusAt = performance.now();
    state.emit({ kind: 'status', status: service.status() });
  }

  /** One at a time. */
  function evaluate(at = clock.now()): Promise<void> {
    const judged = judging.then(() => judge(at));
    judging = judged.catch(() => {});
    return judged;
  }

  async function judge(at: number): Promise<void> {
    flush();
    const began = performance.now();
    const beganAt = clock.now();
    const all: readonly TargetVerdict[] = await background.evaluate(at);
    const verdicts = all.filter(({ target }) => state.targets.get(target)?.phase.isVerdictOwn);
    state.counters.evaluations++;
    state.counters.evaluationSeconds = (performance.now() - began) / 1000;
    evaluationTookSeconds = clock.now() - beganAt;
    const leads = share.isLeader && isHistoryComplete(state);
    if (leads) await judgeCohorts(at);
    if (leads && share.isLeader) followCohorts(state, at);
    await followVerdicts(state, verdicts, at);
    if (leads && share.isLeader) foldMembers(state);
    // A suspicion is worth a capture at once, not with the next sample.
    for (const target of state.targets.values()) {
      if (target.incidentId === undefined || !target.phase.isSampled) continue;
      considerCapture(state, target);
      considerProfiler(state, target);
    }
    if (options.mode === 'demo') tellFleet(state);
    state.emit({ kind: 'fleet', at });
  }

  /** Cohorts are compared by the hour: until another one ends, nothing changes. */
  async function judgeCohorts(at: number): Promise<void> {
    const hour = Math.floor(at / options.hourSeconds);
    if (hour === cohortsHour) return;
    cohortsHour = hour;
    const proved = [...state.targets.values()].flatMap(target =>
      target.proved.map(resource => ({ target: target.name, resource })),
    );
    state.cohorts = await background.cohorts(at, proved);
    outgoing?.setCohorts(state.cohorts);
  }

  const repeat = (seconds: () => number, work: () => Promise<void>): Promise<void> =>
    repeatWork(ports, stop.signal, seconds, work);

  function evaluationPause(): number {
    return Math.max(options.evaluateSeconds, evaluationTookSeconds / EVALUATION_SHARE);
  }

  /** What was read is judged soon: those with an incident, which come first, at once. */
  async function readHistory(): Promise<void> {
    const beganAt = clock.now();
    let [count, judged, judgedAt] = [0, 0, -Infinity];
    const judgeSoon = async (pause: number): Promise<void> => {
      if (count === judged || isBackfilling || clock.now() < judgedAt + pause) return;
      [judged, judgedAt] = [count, clock.now()];
      await evaluate();
    };
    for await (const read of readHistories(state)) {
      count += read;
      await judgeSoon(JUDGE_READ_SECONDS);
    }
    await judgeSoon(0);
    const seconds = clock.now() - beganAt;
    if (count > 0 && seconds >= LOGGED_SECONDS)
      ports.log(`the past of ${count} targets was read in ${formatAge(seconds)}`);
  }

  function limitOf(name: string): number | undefined {
    return isSelf(name) ? undefined : options.memoryLimitBytes;
  }

  const service: Watch = {
    async start() {
      remembered = await recallStored(state);
      // Its own samples would not have the time of a recording.
      if (options.hourSeconds === 3600)
        service.addTarget({
          name: ownName,
          connection: undefined,
          read: self,
          attributes: { version: options.oakumVersion },
        });
      loops.push(
        sampler.run(stop.signal),
        repeat(() => options.commitSeconds, commit),
        repeat(evaluationPause, async () => {
          if (!isBackfilling) await evaluate();
        }),
        repeat(() => options.commitSeconds, readHistory),
      );
    },
    addTarget(found) {
      const entry = { ...found, memoryLimitBytes: found.memoryLimitBytes ?? limitOf(found.name) };
      const known = state.targets.get(entry.name) ?? remembered.get(entry.name);
      remembered.delete(entry.name);
      known?.renew(entry);
      const target = known ?? new WatchedTarget({ ...entry, attributes: {} }, options.hourSeconds);
      const isNew = state.targets.get(entry.name) !== target;
      const isSampled = entry.connection !== undefined || entry.read !== undefined;
      // The store may know it: it was removed and is back, or another replica sampled it.
      if (known === undefined && isSampled) target.phase.markUnread(false);
      state.targets.set(entry.name, target);
      if (share.owns(entry.name)) ports.store.putTarget(entry.name, target.attributes);
      describeTarget(
        state,
        target,
        { ...entry.attributes, ...givenAttributes(options.described, entry.name) },
        clock.now(),
      );
      if (sharing !== undefined) sharing.consider(target, isSampled, isNew);
      else if (isSampled) sampler.add(entry.name);
    },
    removeTarget(name) {
      const target = state.targets.get(name);
      if (target === undefined) return;
      sampler.remove(name);
      state.targets.delete(name);
      state.nodes.forget(name);
      background.forget([name]);
      if (!share.owns(name)) return;
      closeAsGone(state, target, clock.now());
    },
    addSample(name, at, values) {
      if (!state.targets.has(name)) service.addTarget({ name, connection: undefined, attributes: {} });
      const target = state.targets.get(name);
      if (target !== undefined && share.owns(name)) takeSample(state, target, at, values);
    },
    describe(name, attributes, at = clock.now()) {
      const target = state.targets.get(name);
      if (target !== undefined) describeTarget(state, target, attributes, at);
    },
    addObservation: (name, observation) => noteObservation(state, name, observation),
    nodeStandings: cluster => nodeStandings(state, cluster),
    notePlan(id, text) {
      const incident = state.incidents.get(id);
      if (incident !== undefined) notePlan(state, incident, text);
    },
    setMissingRight(kind, right, cluster) {
      if (right === undefined) return state.missingRights.clear(kind, cluster);
      const added = state.missingRights.note(kind, right, clock.now(), cluster);
      if (added !== undefined) ports.log(`${added.what}; ${added.command}`);
    },
    setClusterProblem: (cluster, why) => state.clusters.note(cluster, why, clock.now()),
    setBackfilling: isBackfill => void (isBackfilling = isBackfill),
    async settle() {
      await commit();
      await background.settle();
    },
    evaluate,
    figures: id => incidentFigures(state, id),
    async finish() {
      await service.settle();
      await evaluate();
      // What the last captures show may change a verdict.
      await Promise.all(state.working);
      tellEnd(state);
      state.emit({ kind: 'status', status: service.status() });
    },
    status: () => statusView(state, sampler.roundSeconds()),
    fleet: (hours, asked) => fleet.view(hours, asked),
    fleetRows: (names, hours) => fleetRows(state, names, hours),
    cohorts: mostChanges => cohortsView(state, mostChanges ?? MAX_CHANGES),
    async target(name, from, to) {
      const target = state.targets.get(name);
      return target === undefined ? undefined : targetView(state, target, from, to);
    },
    rollout: (attribute, hours, resource) => rolloutView(state, attribute, hours, resource),
    ...incidentAnswers(state),
    capture(id) {
      const capture = state.captures.get(id);
      return capture === undefined ? undefined : captureView(capture);
    },
    profile: sha256 => ports.store.readProfile(sha256),
    origin: sha256 => originView(state, sha256),
    catalogue: () => catalogueView(state),
    async captureNow(name, reason = 'a user asked for it') {
      const target = state.targets.get(name);
      if (target === undefined) return undefined;
      if (sharing !== undefined && !share.owns(name)) return sharing.askForCapture(name, reason);
      return captureOnRequest(state, target, reason);
    },
    resync: async () => sharing?.resync(),
    asLeader: () => sharing?.leaderStore,
    metrics: () => selfMetrics(state, self(), sampler.lateCount) + targetMetrics(state),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async stop() {
      stop.abort();
      await Promise.all(loops);
      await Promise.all(state.working);
      flush();
      // This commit also sends the last update to the other replicas.
      if (sharing !== undefined) await store.commit();
      await store.close();
      await background.close();
    },
  };

  return service;
}

/** The known leaks, and which targets of this fleet match them. */
function catalogueView({ ports, incidents }: WatchState): CatalogueView {
  const matching = new Map<string, Set<string>>();
  for (const { subject } of incidents.targets()) {
    for (const match of subject.matches) {
      const [ref = ''] = match.split(' ', 1);
      matching.set(ref, (matching.get(ref) ?? new Set()).add(subject.target));
    }
  }
  return viewOfLeaks(ports.catalogue, ref => matching.get(ref));
}

/** What the API server says about a node: its facts, its timeline, and its incident if it was killed. */
function noteObservation(state: WatchState, name: string, observation: CycleObservation): void {
  const target = state.targets.get(name);
  if (target === undefined) return;
  const event = state.nodes.add(name, observation);
  // The store has the events from before the start, or they are older than the store.
  if (event === undefined || event.at < state.startedAt) return;
  const incident = state.incidents.ofTarget(target.incidentId);
  if (incident !== undefined && isOfPlan(observation)) state.emit({ kind: 'incident', id: incident.id, at: event.at });
  // Every replica sees it; one writes it down.
  if (!state.share.owns(name)) return;
  state.ports.store.put({ kind: 'event', record: { target: name, ...event } });
  if (incident === undefined || event.kind !== 'oom') return;
  addStep(incident, { at: event.at, kind: 'killed', text: event.text });
  state.incidents.save(incident);
}

/** An Event of `oakum apply`, which may run anywhere. */
function isOfPlan(observation: CycleObservation): boolean {
  return observation.kind === 'kube-event' && observation.component === APPLY_CONTROLLER;
}

/** Where a stored file comes from: its capture, its incident, and what else there is to compare it with. */
function originView(state: WatchState, sha256: string): FileOrigin | undefined {
  const { captures, incidents } = state;
  for (const capture of captures.values()) {
    const file = capture.files.find(one => one.sha256 === sha256);
    if (file === undefined) continue;
    const ofTarget = [...captures.values()].filter(
      ({ target, files }) => target === capture.target && files.some(({ kind }) => kind === file.kind),
    );
    const incident = incidents.targets().find(({ subject }) => subject.captureIds.includes(capture.id));
    return {
      schema: 'oakum.origin/v1',
      kind: file.kind,
      at: file.at,
      startedAt: capture.processStartSeconds ?? null,
      capture: captureView(capture),
      incident: incident === undefined ? null : incidentSummary(state, incident),
      captures: ofTarget.sort((a, b) => a.at - b.at).map(captureView),
    };
  }
  return undefined;
}

/** The loops of a watch. */
interface LoopParts {
  readonly clock: WatchClock;
  readonly log: (line: string) => void;
}

/** Runs `work` repeatedly until the signal aborts; a failure is logged once, and the work is tried again. */
async function repeatWork(
  { clock, log }: LoopParts,
  signal: AbortSignal,
  seconds: () => number,
  work: () => Promise<void>,
): Promise<void> {
  let logged = '';
  while (!signal.aborted) {
    await clock.sleep(seconds(), signal);
    if (signal.aborted) return;
    try {
      await work();
      logged = '';
    } catch (error) {
      const why = oneLine((error as Error).message);
      if (why !== logged) log(`watch: ${why}; will try again`);
      logged = why;
    }
    await yieldToEventLoop();
  }
}

/** With so many changes at most; none are read for 0. */
async function cohortsView(state: WatchState, mostChanges: number): Promise<CohortsView> {
  const now = state.ports.clock.now();
  const { cohorts } = state;
  return {
    schema: 'oakum.cohorts/v1',
    at: now,
    sentence: sentenceOf(state),
    cohorts: cohorts.slice(0, MAX_COHORTS).map(one => listedCohort(recordedCohort(one))),
    changes: mostChanges === 0 ? [] : (await changesIn(state, now)).slice(-mostChanges),
    incidents: state.incidents.openCohorts().map(incident => incidentSummary(state, incident)),
  };
}

async function changesIn({ ports }: WatchState, now: number): Promise<TargetChange[]> {
  const events = await ports.store.records({
    kind: 'event',
    event: 'change',
    since: now - CHANGES_SECONDS,
    until: now,
  });
  return events.flatMap(({ target, at, text }) => {
    const change = readChangeText(text);
    return change === undefined ? [] : [{ at, target, ...change }];
  });
}

function sentenceOf({ cohorts }: WatchState): string {
  const [worst] = cohorts;
  if (worst === undefined) return 'Nothing is known that tells targets apart.';
  if (mayLeak(worst.verdict)) return `${worst.sentence}.`;
  return 'No attribute separates targets that grow from others.';
}

/**
 * The nodes as they are judged now, worst first.
 *
 * `cluster`: where there are several.
 */
function nodeStandings(state: WatchState, cluster?: string): NodeStanding[] {
  const now = state.ports.clock.now();
  const all = [...state.targets.values()].flatMap(target => {
    // First what is cheap: with a hundred clusters, each is asked for.
    const node = target.cluster === cluster ? nodeName(target.name) : undefined;
    if (node === undefined) return [];
    const hours = target.worst?.timeToLimitHours?.[0] ?? Infinity;
    const standing: NodeStanding = {
      node,
      verdict: target.verdict?.verdict ?? 'unknown',
      sentence: targetSentence(target, now),
      leakRef: causeOf(state, target)?.ref ?? null,
      incidentId: target.incidentId ?? null,
      startSeconds: target.startSeconds ?? null,
      isOfThisLife: isOfThisLife(state, target, now),
    };
    return [{ standing, hours }];
  });
  all.sort((a, b) => compareVerdicts(a.standing.verdict, b.standing.verdict) || a.hours - b.hours);
  return all.map(({ standing }) => standing);
}

/** The detector looks across restarts, so that it proves a leak sooner; right after one it still tells of the old process. */
function isOfThisLife({ incidents, options }: WatchState, target: WatchedTarget, now: number): boolean {
  const subject = incidents.ofTarget(target.incidentId)?.subject;
  if (subject?.afterRestart?.verdict !== 'too early') return true;
  const age = now - (target.startSeconds ?? now);
  return age >= SETTLED_HOURS * options.hourSeconds;
}

/**
 * The events of a demo that are about the whole fleet: its headline when it says something else, and the end.
 *
 * After each evaluation.
 */
function tellFleet(state: WatchState): void {
  const { story, targets } = state;
  const at = state.ports.clock.now();
  const totals = totalsOf(state);
  for (const target of targets.values()) {
    if (target.verdict?.verdict !== 'healthy' || target.samples.podFollowing.followed() === undefined) continue;
    const cause = explanationOf(target);
    // Its numbers change with every sample, so it is one event.
    if (cause !== null && story.isNew(`explanation of ${target.name}`, cause.kind))
      tell(state, at, target.name, `healthy: ${cause.text}`);
  }
  if (!story.isNew('fleet', stateOf(totals, targets.size))) return;
  tellOfFleet(state, { at, kind: 'event', incidentId: null, text: fleetSentence(state, totals) });
}

function totalsOf(state: WatchState): FleetTotals {
  const totals = new FleetTotals();
  for (const target of state.targets.values()) totals.add(entryOf(target));
  return totals;
}

/** What the headline says, without the numbers that change with every sample. */
function stateOf({ counts }: FleetTotals, rowCount: number): string {
  if (counts.leak > 0) return `${counts.leak} of ${rowCount} leak`;
  if (counts.watch > 0) return 'watch';
  return counts.healthy > 0 ? `${rowCount} healthy` : 'unknown';
}

/** Names the incident with the strongest story: one that came back after a restart. */
function tellEnd(state: WatchState): void {
  const open = state.incidents.targets().filter(({ closedAt }) => closedAt === null);
  const best = open.find(({ subject }) => subject.afterRestart?.verdict === 'came back, intrinsic') ?? open[0];
  tellOfFleet(state, {
    at: state.ports.clock.now(),
    kind: 'end',
    incidentId: best?.id ?? null,
    text: `The recording is over. ${fleetSentence(state, totalsOf(state))}`,
  });
}

/** The ports of a watch whose commits are sent to the other replicas. */
export function publishingPorts(ports: WatchPorts, draft: UpdateDraft, exchange: Exchange): WatchPorts {
  const { store } = ports;
  /** Committed, and not published yet. */
  let committed: ReplicaUpdate | undefined;
  return {
    ...ports,
    store: withMethods(store, {
      putTarget(target, attributes) {
        store.putTarget(target, attributes);
        draft.putAttributes(target, attributes);
      },
      addSample(target, at, values) {
        const isTaken = store.addSample(target, at, values);
        if (isTaken) draft.addSample({ target, at, values });
        return isTaken;
      },
      put(given) {
        if (given.kind === 'incident') draft.putIncident(given.record);
        return store.put(given);
      },
      async addCapture(capture) {
        const stored = await store.addCapture(capture);
        draft.addCapture(stored);
        return stored;
      },
      async commit() {
        const batch = draft.take();
        const result = await store.commit();
        if (batch !== undefined) {
          if (result.committed && committed === undefined) committed = batch;
          else draft.restore(batch);
        }
        if (committed !== undefined) {
          const update = committed;
          // If it fails, it is tried again after the next commit.
          await exchange.publish(update).then(
            () => (committed = undefined),
            () => {},
          );
          if (committed === undefined && update.verdicts.length > 0)
            await exchange.putVerdicts(update.verdicts).catch(() => {});
        }
        return result;
      },
    }),
  };
}
