import { timedDerivedId } from '@billing/chassis/ids';
import type { Restore } from '@billing/chassis/recovery';
import { Restores } from '@billing/chassis/restores';
import type { Collection } from 'mongodb';
import type { ServiceDatabase } from '../database/databases';
import type { Report } from './report';

/** Decision to open a restored system. Once it is recorded, it stands: a later run finishes it. */
export interface Opening {
  readonly id: string;
  readonly restore: Restore;
  /** Real time of the decision. */
  readonly at: Date;
  /** Reason for which the system is opened despite what was found. */
  readonly reason: string | undefined;
  /** Report of the run that has decided. */
  readonly report: Report;
}

interface OpeningDocument {
  readonly _id: 'opening';
  readonly openingId: string;
  readonly restoreId: string;
  readonly at: Date;
  readonly reason: string | null;
  /** As JSON. */
  readonly report: string;
}

const key = { _id: 'opening' } as const;

/** The last decision to open the system, which one of its databases records. */
export class Openings {
  private readonly documents: Collection<OpeningDocument>;

  constructor([first]: readonly ServiceDatabase[]) {
    if (first === undefined) throw new Error('There are no databases');
    this.documents = first.db.collection('system');
  }

  /** Finds the decision for a restore. */
  async find(restoreId: string): Promise<Omit<Opening, 'restore'> | undefined> {
    const found = await this.documents.findOne({ ...key, restoreId });
    if (found === null) return undefined;
    const { openingId: id, at, reason } = found;
    return { id, at, reason: reason ?? undefined, report: JSON.parse(found.report) as Report };
  }

  async record({ id, restore, at, reason, report }: Opening): Promise<void> {
    const facts = { openingId: id, restoreId: restore.id, at, reason: reason ?? null };
    const document = { ...facts, report: JSON.stringify(report) };
    await this.documents.replaceOne(key, document, { upsert: true });
  }
}

/**
 * Steps of an opening, in their order; each may be repeated. The decision comes first, so that a
 * run after a crash finishes the opening. Openings are recorded in all databases before the first
 * one is served.
 */
export function openingSteps(
  databases: readonly ServiceDatabase[],
  opening: Opening,
): readonly (() => Promise<unknown>)[] {
  const { restore, at, reason } = opening;
  return [
    () => new Openings(databases).record(opening),
    ...(reason === undefined ? [] : [() => recordOpeningInAudit(databases, opening, reason)]),
    ...databases.map(
      ({ db }) =>
        () =>
          new Restores(db).recordOpening(restore.id, at),
    ),
    ...databases.map(
      ({ system }) =>
        () =>
          system.open(),
    ),
  ];
}

/** Opens all databases. Returns the report of the decision. */
export async function open(
  databases: readonly ServiceDatabase[],
  opening: Opening,
): Promise<Report> {
  for (const take of openingSteps(databases, opening)) await take();
  return opening.report;
}

interface StoredOrganization {
  readonly _id: string;
  /** Its live environment, which has its audit entries. */
  readonly environmentId: string;
}

/** Records in the audit log of each organization that the system was opened despite findings. */
async function recordOpeningInAudit(
  databases: readonly ServiceDatabase[],
  { id, restore, at, report }: Opening,
  reason: string,
): Promise<void> {
  const identity = databases.find(({ service }) => service === 'identity')?.db;
  if (identity === undefined) throw new Error('There is no database of identity');
  const problems = report.findings.length + report.unmatchedCharges.length;
  const entries = identity.collection<{ _id: string }>('auditEntries');
  const organizations = identity.collection<StoredOrganization>('organizations').find();
  const changed = (field: string, value: unknown) => ({
    field,
    fromJson: null,
    toJson: JSON.stringify(value),
  });
  for await (const { environmentId } of organizations) {
    const entry = {
      environmentId,
      at,
      actorType: 'SYSTEM',
      actorId: 'reconcile',
      actorEmail: null,
      address: '',
      userAgent: '',
      action: 'reconcile --open',
      path: '',
      targetType: 'restore',
      targetId: restore.id,
      targetName: restore.code,
      targetCurrency: null,
      changes: [changed('reason', reason), changed('problems', problems)],
      concerns: null,
      requestId: '',
      status: null,
      environmentTime: null,
    };
    const _id = timedDerivedId(id, environmentId);
    await entries.updateOne({ _id }, { $setOnInsert: entry }, { upsert: true });
  }
}
