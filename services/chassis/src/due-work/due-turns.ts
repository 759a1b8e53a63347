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
// Bounds the memory of a pass; the next one continues.
const visitedMax = 100_000;

/**
 * Iterates over due documents of all environments, each once: live ones first, then sandboxes in
 * turn. A backlog of a sandbox holds up neither live documents nor other sandboxes. One query
 * suffices while there is no backlog.
 */
export function dueInTurns(query: TurnQuery): DueSource {
  const documents = turnsOf(query);
  return {
    next: async () => (query.isOver() ? undefined : (await documents.next()).value),
  };
}

async function* turnsOf(query: TurnQuery): AsyncGenerator<DueDocument, undefined> {
  const { documents, isComplete } = await readDueBatch({ ...query, until: query.now() });
  if (isComplete) {
    yield* inTurns(documents);
    return undefined;
  }
  const visited = new Set<string>();
  // Sandboxes with more than one turn, each with its own position.
  const backlogs = new Map<string, DueDocuments>();
  const open = (condition: Filter<AggregateDocument>) =>
    new DueDocuments(
      { ...query, until: query.now(), filter: { ...query.filter, ...condition } },
      visited,
    );
  do {
    yield* allOf(open({ live: true }));
    yield* firstTurns(open, backlogs);
    const lookAtMs = monotonicMs() + lookEveryMs;
    while (backlogs.size > 0 && monotonicMs() < lookAtMs) yield* nextTurns(backlogs);
  } while (backlogs.size > 0 && visited.size < visitedMax);
  return undefined;
}

async function* allOf(documents: DueDocuments): AsyncGenerator<DueDocument, void> {
  for (;;) {
    const document = await documents.next();
    if (document === undefined) return;
    yield document;
  }
}

/** Visits sandboxes without a backlog, and finds those with one. */
async function* firstTurns(
  open: (condition: Filter<AggregateDocument>) => DueDocuments,
  backlogs: Map<string, DueDocuments>,
): AsyncGenerator<DueDocument, void> {
  const visits = new Map<string, number>();
  for (;;) {
    const documents = open({ live: false, environmentId: { $nin: [...backlogs.keys()] } });
    let found: string | undefined;
    for await (const document of allOf(documents)) {
      const { environmentId } = document;
      const count = (visits.get(environmentId) ?? 0) + 1;
      if (count > turnMax) {
        found = environmentId;
        await documents.abandon(document);
        break;
      }
      visits.set(environmentId, count);
      yield document;
    }
    if (found === undefined) return;
    backlogs.set(found, open({ live: false, environmentId: found }));
  }
}

async function* nextTurns(backlogs: Map<string, DueDocuments>): AsyncGenerator<DueDocument, void> {
  for (const [environmentId, documents] of backlogs) {
    for (let turn = 1; turn <= turnMax; turn += 1) {
      const document = await documents.next();
      if (document === undefined) {
        backlogs.delete(environmentId);
        break;
      }
      yield document;
    }
  }
}
