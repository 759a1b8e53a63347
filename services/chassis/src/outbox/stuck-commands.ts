import type { Collection, Db } from 'mongodb';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import { type AggregateCollection, isUnfinishedPass } from '../aggregates/aggregate-collection';
import type { AggregateDocument, OutboxEntry } from '../aggregates/aggregate';
import type { CallContext } from '../grpc/call-context';
import type { Clock } from '../clock';
import { addFailure, type CommandFailures, isStuck } from './command-failures';
import { ensureIndexes, retryTransient } from '../mongo/mongo';
import type { Logger } from '../telemetry/logging';
import { redactSecrets } from '../telemetry/redaction';

/** A command that fails repeatedly. All later commands of its aggregate wait for it. */
export interface StuckCommand {
  /** `<collection>:<aggregate id>:<number>`. */
  readonly id: string;
  readonly environmentId: string;
  /** The noun: `subscription`. */
  readonly aggregate: string;
  readonly aggregateId: string;
  /** Sequence of the command in its aggregate. */
  readonly sequence: number;
  readonly type: string;
  /** In all replicas. */
  readonly attempts: number;
  readonly lastError: string;
  /** Real time of the first failure. */
  readonly since: Date;
}

/** A stuck command as it is stored. */
export interface StuckCommandDocument {
  readonly _id: string;
  readonly organizationId: string;
  readonly environmentId: string;
  readonly collection: string;
  readonly aggregate: string;
  readonly aggregateId: string;
  readonly sequence: number | bigint;
  readonly type: string;
  readonly attempts: number | bigint;
  readonly lastError: string;
  readonly since: Date;
}

/** One command of one document. */
interface CommandOf {
  readonly collection: AggregateCollection<never>;
  readonly document: AggregateDocument;
  readonly entry: OutboxEntry;
}

interface Failing extends CommandFailures {
  readonly isRecorded: boolean;
}

interface StuckCommandDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Runs the commands of a document now, without the pause after a failure. */
  readonly runNow: (collection: AggregateCollection<never>, aggregateId: string) => void;
}

const failingMax = 5_000;
const listedMax = 100;
const errorLengthMax = 500;

/** Records commands that keep failing, and lets operators retry and skip them. */
export class StuckCommands {
  private readonly documents: Collection<StuckCommandDocument>;
  // Failures seen by this process, by the command's id.
  private readonly failing = new Map<string, Failing>();

  constructor(
    db: Db,
    private readonly collections: readonly AggregateCollection<never>[],
    private readonly dependencies: StuckCommandDependencies,
  ) {
    this.documents = db.collection<StuckCommandDocument>('stuckCommands');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.documents, [
      { name: 'organization', key: { organizationId: 1, since: 1 } },
      { name: 'environment', key: { environmentId: 1 } },
    ]);
  }

  /** Counts a failure, and records the command while it is stuck. Never throws. */
  async recordFailure(command: CommandOf, error: unknown): Promise<void> {
    if (isUnfinishedPass(error)) {
      await this.recordDone(command);
      return;
    }
    const id = idOf(command);
    const before = this.failing.get(id);
    if (before === undefined && this.failing.size >= failingMax) return;
    const now = this.dependencies.clock.now();
    const failures = addFailure(before, { error, now });
    const isRecorded = before?.isRecorded === true;
    this.failing.set(id, { ...failures, isRecorded });
    if (!isRecorded && !isStuck(failures, now)) return;
    try {
      await this.record(command, { ...failures, isRecorded }, error);
      this.failing.set(id, { ...failures, isRecorded: true });
    } catch (failure) {
      this.dependencies.logger.warn({ err: failure, command: id }, 'stuck command not recorded');
    }
  }

  /**
   * Removes the record of a command that has run. Returns undefined if it has none. Never rejects.
   */
  recordDone(command: CommandOf): Promise<void> | undefined {
    const id = idOf(command);
    const before = this.failing.get(id);
    if (before === undefined) return undefined;
    this.failing.delete(id);
    return before.isRecorded ? this.deleteRecord(id) : undefined;
  }

  private async deleteRecord(id: string): Promise<void> {
    try {
      await this.documents.deleteOne({ _id: id });
    } catch (failure) {
      // The next list detects that the command is not waiting any more.
      this.dependencies.logger.warn(
        { err: failure, command: id },
        'stuck command record not deleted',
      );
    }
  }

  /** Lists the stuck commands of an organization, oldest first. */
  async list({ tenant }: Pick<CallContext, 'tenant'>): Promise<StuckCommand[]> {
    const { organizationId } = tenant;
    const recorded = await retryTransient(() =>
      this.documents.find({ organizationId }).sort({ since: 1 }).limit(listedMax).toArray(),
    );
    const waiting = await Promise.all(
      recorded.map(async (one) => ((await this.isWaiting(one)) ? [one] : [])),
    );
    return waiting.flat().map(toStuckCommand);
  }

  /** Runs a stuck command now. Throws not_found if it is not stuck any more. */
  async retry(id: string, context: Pick<CallContext, 'tenant'>): Promise<void> {
    const { collection, stuck } = await this.find(id, context);
    this.dependencies.runNow(collection, stuck.aggregateId);
  }

  /**
   * Removes a stuck command from its outbox, so that the next one runs. The removal is one
   * compare-and-set on the entry, and the last step that can fail. Throws not_found if the command
   * has run in the meantime, and failed_precondition if skipping it would do more harm than its
   * failure.
   */
  async skip(id: string, context: Pick<CallContext, 'tenant' | 'storing'>): Promise<void> {
    const { collection, stuck } = await this.find(id, context);
    const { aggregateId, sequence, type } = stuck;
    const refusal = collection.behaviour.unskippable?.[type];
    if (refusal !== undefined) {
      throw new DomainError('failed_precondition', 'COMMAND_NOT_SKIPPABLE', refusal);
    }
    const entry = { kind: 'command' as const, sequence, type };
    context.storing?.check();
    const { modifiedCount } = await retryTransient(() =>
      collection.documents.updateOne(
        { _id: aggregateId, outbox: { $elemMatch: entry } },
        { $pull: { outbox: entry } as object },
      ),
    );
    this.failing.delete(id);
    await this.deleteRecord(id);
    if (modifiedCount === 0) throw notFound('Stuck command');
    this.dependencies.logger.warn(
      { aggregateId, command: type, sequence },
      'stuck command skipped',
    );
    this.dependencies.runNow(collection, aggregateId);
  }

  private async record(
    command: CommandOf,
    { count, since, isRecorded }: Failing,
    error: unknown,
  ): Promise<void> {
    const { collection, document, entry } = command;
    const { environmentId, organizationId, _id: aggregateId } = document;
    const { collection: name, aggregate } = collection.definition;
    const attempts = isRecorded ? 1 : count;
    await this.documents.updateOne(
      { _id: idOf(command) },
      {
        $inc: { attempts },
        $set: { lastError: errorText(error) },
        $setOnInsert: {
          organizationId,
          environmentId,
          collection: name,
          aggregate,
          aggregateId,
          sequence: entry.sequence,
          type: entry.type,
          since,
        },
      },
      { upsert: true },
    );
    if (isRecorded) return;
    const facts = { alarm: 'command_stuck', err: error, aggregateId, command: entry.type };
    this.dependencies.logger.error(facts, 'command stuck');
  }

  private async find(
    id: string,
    { tenant: { organizationId } }: Pick<CallContext, 'tenant'>,
  ): Promise<{ collection: AggregateCollection<never>; stuck: StuckCommandDocument }> {
    const stuck = await retryTransient(() => this.documents.findOne({ _id: id, organizationId }));
    if (stuck === null || !(await this.isWaiting(stuck))) throw notFound('Stuck command');
    const collection = this.collectionOf(stuck);
    if (collection === undefined) throw notFound('Stuck command');
    return { collection, stuck };
  }

  // Another replica may have run it; then there is nothing left to report.
  private async isWaiting(stuck: StuckCommandDocument): Promise<boolean> {
    const { _id, aggregateId, sequence } = stuck;
    const waiting = await retryTransient(async () =>
      this.collectionOf(stuck)?.documents.findOne(
        { _id: aggregateId, outbox: { $elemMatch: { kind: 'command', sequence } } },
        { projection: { _id: 1 } },
      ),
    );
    if (waiting !== null && waiting !== undefined) return true;
    await retryTransient(() => this.documents.deleteOne({ _id }));
    return false;
  }

  private collectionOf({ collection }: StuckCommandDocument) {
    return this.collections.find(({ definition }) => definition.collection === collection);
  }
}

function idOf({ collection, document, entry }: CommandOf): string {
  return `${collection.definition.collection}:${document._id}:${String(entry.sequence)}`;
}

function errorText(error: unknown): string {
  const reason = error instanceof DomainError ? `${error.reason}: ` : '';
  const message = error instanceof Error ? error.message : String(error);
  return redactSecrets(`${reason}${message}`).slice(0, errorLengthMax);
}

function toStuckCommand(stuck: StuckCommandDocument): StuckCommand {
  const { _id: id, environmentId, aggregate, aggregateId, type, lastError, since } = stuck;
  const sequence = Number(stuck.sequence);
  const attempts = Number(stuck.attempts);
  return { id, environmentId, aggregate, aggregateId, sequence, type, attempts, lastError, since };
}
