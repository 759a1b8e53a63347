import type { Filter } from 'mongodb';
import type { AggregateDocument } from '../aggregates/aggregate';
import { monotonicMs } from '../clock';
import { type DueDocument, DueDocuments, type DueQuery, readDueBatch } from './due-documents';
import { inTurns, turnMax } from './due-order';
import type { DueSource } from './due-pass';

/** Selects due documents of all environments. */
export interface TurnQuery extends Omit<DueQuery, 'until'> {
  readonly now: () => Date;
  /** Ends the iteration, e.g. because other documents are to be visited. */
  readonly isOver: () => boolean;
}

// Interval at which a long pass looks for live documents and further sandboxes.
const lookEveryMs = 1_000;
// First turns that are visited before the pass looks again, however long they take: each look reads
// from the beginning.
const firstVisitsMin = 300;
// Bounds the memory of a pass; the next one continues.
const visitedMax = 100_000;

/**
 * Iterates over due documents of all environments: live ones first, then sandboxes in turn. A
 * backlog of sandboxes holds up neither live documents nor other sandboxes. A document of a sandbox
 * is visited once; a live one again if it is still due when the pass looks for live documents, so
 * that its retry or next step does not wait for a backlog. One query suffices while there is none.
 */
export function dueInTurns(query: TurnQuery): DueSource {
  // Live documents only while they are read ahead or being handled.
  const visited = new Set<string>();
  const documents = turnsOf(query, visited);
  return {
    next: async () => (query.isOver() ? undefined : (await documents.next()).value),
    onHandled: ({ _id, live }) => {
      if (live) visited.delete(_id);
    },
  };
}

async function* turnsOf(
  query: TurnQuery,
  visited: Set<string>,
): AsyncGenerator<DueDocument, undefined> {
  const { documents, isComplete } = await readDueBatch({ ...query, until: query.now() });
  if (isComplete) {
    yield* inTurns(documents);
    return undefined;
  }
  // Sandboxes with more than one turn, each with its own position; the next one first.
  const backlogs = new Map<string, DueDocuments>();
  const open = (condition: Filter<AggregateDocument>) =>
    new DueDocuments(
      { ...query, until: query.now(), filter: { ...query.filter, ...condition } },
      visited,
    );
  let hasMore = true;
  while (hasMore && visited.size < visitedMax) {
    yield* allOf(open({ live: true }));
    const lookAtMs = monotonicMs() + lookEveryMs;
    const hasMoreFirst = yield* firstTurns(open, { backlogs, lookAtMs });
    do {
      yield* nextTurn(backlogs);
    } while (backlogs.size > 0 && monotonicMs() < lookAtMs);
    hasMore = hasMoreFirst || backlogs.size > 0;
  }
  return undefined;
}

async function* allOf(documents: DueDocuments): AsyncGenerator<DueDocument, void> {
  for (;;) {
    const document = await documents.next();
    if (document === undefined) return;
    yield document;
  }
}

/**
 * Visits sandboxes without a backlog, and finds those with one. Returns true if time was over
 * before the last of them.
 */
async function* firstTurns(
  open: (condition: Filter<AggregateDocument>) => DueDocuments,
  { backlogs, lookAtMs }: { backlogs: Map<string, DueDocuments>; lookAtMs: number },
): AsyncGenerator<DueDocument, boolean> {
  const visits = new Map<string, number>();
  let visitsLeft = firstVisitsMin;
  for (;;) {
    const documents = open({ live: false, environmentId: { $nin: [...backlogs.keys()] } });
    let found: string | undefined;
    for await (const document of allOf(documents)) {
      if (visitsLeft <= 0 && monotonicMs() >= lookAtMs) {
        await documents.abandon(document);
        return true;
      }
      const { environmentId } = document;
      const count = (visits.get(environmentId) ?? 0) + 1;
      if (count > turnMax) {
        found = environmentId;
        await documents.abandon(document);
        break;
      }
      visits.set(environmentId, count);
      visitsLeft -= 1;
      yield document;
    }
    if (found === undefined) return false;
    backlogs.set(found, open({ live: false, environmentId: found }));
  }
}

/** Visits one turn of the first sandbox, which then is the last one. */
async function* nextTurn(backlogs: Map<string, DueDocuments>): AsyncGenerator<DueDocument, void> {
  const [next] = backlogs;
  if (next === undefined) return;
  const [environmentId, documents] = next;
  for (let turn = 1; turn <= turnMax; turn += 1) {
    const document = await documents.next();
    if (document === undefined) {
      backlogs.delete(environmentId);
      return;
    }
    yield document;
  }
  backlogs.delete(environmentId);
  backlogs.set(environmentId, documents);
}
