import type { Collection, Db } from 'mongodb';
import { DomainError } from '@billing/kernel/domain-error';
import { answerBy, type CallContext, type Idempotency } from './call-context';
import { type Clock, monotonicMs, sleep } from '../clock';
import { derivedId, jitter, newId } from '../ids';
import { ensureIndexes, duplicateKeyIndex, retryTransient } from '../mongo/mongo';
import { deleteBatch } from '../mongo/old-documents';
import { isTransientRefusal } from './transient-failure';

/** Outcome of a call: the bytes of its response, or the refusal that every replay gets. */
type Outcome =
  | { readonly response: Uint8Array }
  | { readonly refusal: Pick<DomainError, 'kind' | 'reason' | 'message'> };

interface IdempotencyDocument {
  /** Derived from environment, call and key. */
  readonly _id: string;
  readonly environmentId: string;
  readonly requestHash: string;
  /** Id of the run that holds the claim; a takeover sets another. */
  readonly runId: string;
  /** Real time after which another call may take over; null once the call has an outcome. */
  readonly leasedUntil: Date | null;
  readonly outcome: Outcome | null;
  readonly createdAt: Date;
}

/** A claim to run the call. */
type Claim = Pick<IdempotencyDocument, 'runId' | 'createdAt'>;

/** A call and the id of its record. */
interface PlacedCall {
  readonly id: string;
  readonly context: KeyedCall<unknown>['context'];
  readonly isJoinable?: boolean | undefined;
}

/** One record for each idempotency key of a service's calls. */
export type IdempotencyRecords = Collection<IdempotencyDocument>;

/** A call that may be retried under a key. */
export interface KeyedCall<Response> {
  readonly path: string;
  readonly context: CallContext & { readonly idempotency: Idempotency };
  readonly run: (context: CallContext) => Promise<Response>;
  /** Lets a retry join the running first call instead of waiting for its answer. */
  readonly isJoinable?: boolean;
  /** Called before an answer is replayed, refusals included. */
  readonly onReplay: () => void;
  /** Serializes the response for replays, without secrets. */
  readonly toBytes: (response: Response) => Uint8Array;
  readonly fromBytes: (bytes: Buffer) => Response;
}

const retentionMs = 24 * 60 * 60 * 1_000;
// A call ends at its deadline. After this margin it is surely not running any more, even if clocks
// differ a little.
const leaseMarginMs = 1_000;
// Time that a retry waits for the answer of a running call.
const waitMsMax = 8_000;
const pollMsMin = 25;
const pollMsMax = 250;

export function openIdempotencyRecords(db: Db): IdempotencyRecords {
  return db.collection<IdempotencyDocument>('idempotencyRecords');
}

export async function ensureIdempotencyIndexes(records: IdempotencyRecords): Promise<void> {
  await ensureIndexes(records, [
    { name: 'createdAt', key: { createdAt: 1 } },
    { name: 'environment', key: { environmentId: 1 } },
  ]);
}

/** Deletes one batch of records created before a time. Returns true if there may be more. */
export function deleteOldRecords(records: IdempotencyRecords, before: Date): Promise<boolean> {
  const filter = { createdAt: { $lt: before } };
  return deleteBatch({ collection: records, filter, sort: { createdAt: 1 } });
}

/**
 * Runs a call once per key and replays its first answer to every retry.
 * - The same key with another request is idempotency_mismatch.
 * - A retry of a running call waits for its answer, at most 8 s, and is then failed_precondition.
 * - A call that crashed, timed out or failed by a fault is run again by the next retry. Ids of the
 *   resources it creates derive from the key, so nothing is created twice.
 */
export async function runOncePerKey<Response>(
  records: IdempotencyRecords,
  clock: Clock,
  call: KeyedCall<Response>,
): Promise<Response> {
  const { context, path } = call;
  const id = derivedId(context.tenant.environmentId, path, context.idempotency.key);
  const { idempotency: _consumed, ...passedOn } = context;
  const { isJoinable } = call;
  const claimed = await claimOrWait(records, clock, { id, context, isJoinable });
  if (claimed === 'JOIN') return call.run(passedOn);
  if ('outcome' in claimed) {
    call.onReplay();
    return replay(claimed.outcome, call);
  }
  try {
    // A key that is used again after its day is a new one and creates new resources.
    const resourceSeed = derivedId(id, claimed.createdAt.toISOString());
    const response = await call.run({ ...passedOn, resourceSeed, isFirstRun: false });
    const outcome = { response: call.toBytes(response) };
    // The call has taken effect, so that its caller gets the response in any case. Without the
    // outcome a retry runs the call again, with the same ids.
    await storeOutcome(records, { id, runId: claimed.runId }, outcome).catch(() => undefined);
    return response;
  } catch (error) {
    const mine = { id, runId: claimed.runId };
    if (isMistake(error)) await deleteClaim(records, mine);
    else
      await storeOutcome(records, mine, isFinal(error) ? { refusal: toRefusal(error) } : undefined);
    throw error;
  }
}

/**
 * Returns a claim to run the call, or its first outcome. Waits while another call with the key
 * runs, unless the retry may join it.
 */
async function claimOrWait(
  records: IdempotencyRecords,
  clock: Clock,
  call: PlacedCall,
): Promise<Claim | { outcome: Outcome } | 'JOIN'> {
  const { deadline, signal } = call.context;
  const msLeft = answerBy({ deadline }).getTime() - clock.now().getTime();
  const waitUntilMs = monotonicMs() + Math.min(msLeft, waitMsMax);
  const inserted = await insertClaim(records, clock, call);
  if (inserted !== undefined) return inserted;
  for (let pollMs = pollMsMin; ; pollMs = Math.min(pollMs * 2, pollMsMax)) {
    const claimed = await claimExisting(records, clock, call);
    if (claimed !== undefined) return claimed;
    if (call.isJoinable === true) return 'JOIN';
    if (monotonicMs() >= waitUntilMs || signal.aborted) throw inUse();
    await sleep(pollMs * jitter(0.2), signal);
  }
}

/** Claims a key that has no record; undefined if it has one. */
async function insertClaim(
  records: IdempotencyRecords,
  clock: Clock,
  { id, context }: PlacedCall,
): Promise<Claim | undefined> {
  const claimed = newClaim(context, clock.now());
  const { environmentId } = context.tenant;
  try {
    await retryTransient(() => records.insertOne({ _id: id, environmentId, ...claimed }));
    return toClaim(claimed);
  } catch (error) {
    if (duplicateKeyIndex(error) === undefined) throw error;
  }
  // The insert may have been retried after its response was lost.
  const existing = await retryTransient(() => records.findOne({ _id: id, environmentId }));
  return existing?.runId === claimed.runId ? toClaim(claimed) : undefined;
}

/**
 * Reads the outcome of a key that has a record, or takes over a call that ended without one;
 * undefined while a call runs.
 */
async function claimExisting(
  records: IdempotencyRecords,
  clock: Clock,
  call: PlacedCall,
): Promise<Claim | { outcome: Outcome } | undefined> {
  const { id, context } = call;
  const now = clock.now();
  const { environmentId } = context.tenant;
  const existing = await retryTransient(() => records.findOne({ _id: id, environmentId }));
  // The first call was refused for a mistake, and its key is free again.
  if (existing === null) return insertClaim(records, clock, call);
  const claimed = newClaim(context, now);
  const isExpired = existing.createdAt.getTime() + retentionMs <= now.getTime();
  if (!isExpired && existing.requestHash !== claimed.requestHash) throw reused();
  if (!isExpired && existing.outcome !== null) return { outcome: existing.outcome };
  if (!isExpired && existing.leasedUntil !== null && existing.leasedUntil > now) return undefined;
  const { runId } = existing;
  // A takeover derives the same ids as the crashed call.
  const takeover = isExpired ? claimed : { ...claimed, createdAt: existing.createdAt };
  const { matchedCount } = await retryTransient(() =>
    records.updateOne({ _id: id, environmentId, runId }, { $set: takeover }),
  );
  return matchedCount === 0 ? undefined : toClaim(takeover);
}

function newClaim(
  { idempotency, deadline }: PlacedCall['context'],
  now: Date,
): Omit<IdempotencyDocument, '_id' | 'environmentId'> {
  return {
    requestHash: idempotency.requestHash,
    runId: newId(),
    leasedUntil: new Date(deadline.getTime() + leaseMarginMs),
    outcome: null,
    createdAt: now,
  };
}

function toClaim({ runId, createdAt }: Claim): Claim {
  return { runId, createdAt };
}

/**
 * Stores the outcome; without one, the next retry may run immediately. Has no effect unless the
 * caller still holds the claim.
 */
async function storeOutcome(
  records: IdempotencyRecords,
  claim: { id: string; runId: string },
  outcome: Outcome | undefined,
): Promise<void> {
  const filter = { _id: claim.id, runId: claim.runId };
  const change = { leasedUntil: null, outcome: outcome ?? null };
  await retryTransient(() => records.updateOne(filter, { $set: change }));
}

async function deleteClaim(
  records: IdempotencyRecords,
  { id, runId }: { id: string; runId: string },
): Promise<void> {
  await retryTransient(() => records.deleteOne({ _id: id, runId }));
}

function replay<Response>(outcome: Outcome, { fromBytes }: KeyedCall<Response>): Response {
  if ('response' in outcome) return fromBytes(toBuffer(outcome.response));
  const { kind, reason, message } = outcome.refusal;
  throw new DomainError(kind, reason, message);
}

// The driver returns binary data wrapped in an object.
function toBuffer(stored: unknown): Buffer {
  if (stored instanceof Uint8Array) return Buffer.from(stored);
  return Buffer.from((stored as { buffer: Uint8Array }).buffer);
}

/**
 * A refusal is final. A fault or a timeout leaves the outcome unknown, and a transient refusal may
 * not last.
 */
function isFinal(error: unknown): error is DomainError {
  return error instanceof DomainError && !isTransientRefusal(error);
}

/**
 * Nothing was done, wherever the mistake was found (gateway or service), so the corrected request
 * may use the same key.
 */
function isMistake(error: unknown): boolean {
  return error instanceof DomainError && error.kind === 'invalid_input';
}

function toRefusal({ kind, reason, message }: DomainError) {
  return { kind, reason, message };
}

function inUse(): DomainError {
  return new DomainError(
    'failed_precondition',
    'IDEMPOTENCY_KEY_IN_USE',
    'A request with this Idempotency-Key is in progress',
  );
}

function reused(): DomainError {
  return new DomainError(
    'idempotency_mismatch',
    'IDEMPOTENCY_KEY_REUSED',
    'Idempotency-Key was used with another request',
  );
}
