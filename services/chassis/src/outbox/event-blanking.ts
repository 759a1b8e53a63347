import type { Collection, Db, Filter } from 'mongodb';
import type { AggregateDocument } from '../aggregates/aggregate';
import { derivedId } from '../ids';
import { retryTransient } from '../mongo/mongo';
import { type EventLog, eventLogId, openEventLog } from './event-log';
import type { StuckCommandDocument } from './stuck-commands';

const erasedMax = 500;

type Announcer = Pick<
  AggregateDocument,
  '_id' | 'environmentId' | 'eventSequence' | 'subjectSequences'
>;

/** Aggregates by a filter on their documents. */
export interface FoundAnnouncers {
  readonly documents: Collection<AggregateDocument>;
  readonly filter: Readonly<Record<string, unknown>> & { readonly environmentId: string };
}

/** A resource that numbers its events. */
interface Subject {
  readonly id: string;
  /** Number of its latest event, or a higher one. */
  readonly sequence: bigint;
}

interface LoggedEnvelope {
  readonly _id: string;
  readonly envelope: string;
}

const batchMax = 500;
const subjectsMax = 50_000;

/**
 * Blanks the logged events of aggregates: their data is removed, and their ids, sequences, types
 * and times stay.
 */
export async function blankEvents(db: Db, announcers: FoundAnnouncers): Promise<void> {
  const log = openEventLog(db);
  for await (const announcer of announcersOf(announcers)) {
    const ids = subjectsOf(announcer).flatMap(({ id: aggregateId, sequence }) =>
      Array.from({ length: Number(sequence) }, (_, index) =>
        eventLogId({ aggregateId, sequence: index + 1 }),
      ),
    );
    for (let from = 0; from < ids.length; from += batchMax) {
      await blank(log, ids.slice(from, from + batchMax));
    }
  }
}

/** Lists the subjects of aggregates with their latest sequences. */
export async function listSubjects(announcers: FoundAnnouncers): Promise<Subject[]> {
  const subjects: Subject[] = [];
  for await (const announcer of announcersOf(announcers)) {
    subjects.push(...subjectsOf(announcer));
    if (subjects.length > subjectsMax) throw new Error('A customer has too many subjects');
  }
  return subjects;
}

/** Envelope without its data. Blanking an envelope again changes nothing. */
export function blankEnvelope(envelope: string): string {
  const { data: _data, ...attributes } = JSON.parse(envelope) as Record<string, unknown>;
  return JSON.stringify({ ...attributes, blanked: true, data: {} });
}

function announcersOf({ documents, filter }: FoundAnnouncers): AsyncIterable<Announcer> {
  return documents
    .find(filter as Filter<AggregateDocument>)
    .project<Announcer>({ environmentId: 1, eventSequence: 1, subjectSequences: 1 });
}

async function blank(log: EventLog, ids: readonly string[]): Promise<void> {
  const found = await retryTransient(() =>
    log
      .find({ _id: { $in: [...ids] } })
      .project<LoggedEnvelope>({ envelope: 1 })
      .toArray(),
  );
  const writes = found.flatMap(({ _id, envelope }) => {
    const blanked = blankEnvelope(envelope);
    const update = { $set: { envelope: blanked } };
    return blanked === envelope ? [] : [{ updateOne: { filter: { _id }, update } }];
  });
  if (writes.length > 0) await retryTransient(() => log.bulkWrite(writes, { ordered: false }));
}

// The aggregate and its second subjects number their events apart; each of them counts at most to
// the number of all.
function subjectsOf({ _id: id, environmentId, ...counts }: Announcer): Subject[] {
  const { eventSequence, subjectSequences = {} } = counts;
  return [
    { id, sequence: BigInt(eventSequence) },
    ...Object.entries(subjectSequences).map(([subject, count]) => ({
      id: derivedId(environmentId, subject, id),
      sequence: BigInt(count),
    })),
  ];
}

/** Erases the texts of the errors of aggregates' commands: they may name a person. */
export async function eraseFailureTexts(
  db: Db,
  { documents, filter }: FoundAnnouncers,
): Promise<void> {
  const stuck = db.collection<StuckCommandDocument>('stuckCommands');
  const { environmentId } = filter;
  const failed = { environmentId, lastError: { $ne: '' } };
  const failing = await retryTransient(() => stuck.distinct('aggregateId', failed));
  for (let from = 0; from < failing.length; from += erasedMax) {
    const ids = failing.slice(from, from + erasedMax);
    const found = await retryTransient(() =>
      documents
        .find({ $and: [filter, { _id: { $in: ids } }] } as Filter<AggregateDocument>)
        .project<{ _id: string }>({ _id: 1 })
        .toArray(),
    );
    if (found.length === 0) continue;
    const ofThese = { ...failed, aggregateId: { $in: found.map(({ _id }) => _id) } };
    await retryTransient(() => stuck.updateMany(ofThese, { $set: { lastError: '' } }));
  }
}
