import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type CallContext, type RetrySeed, answerBy } from '@billing/chassis/call-context';
import { type Clock, sleep } from '@billing/chassis/clock';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { newId } from '@billing/chassis/ids';
import type { LostAnswer } from '@billing/proto/billing/identity/v1/lost_call';
import { RequestError, toHttpError } from '../../http/error';
import { requestHash } from '../../http/idempotency';
import type { LostCallRegistry } from './lost-call-registry';
import type { ApiAnswer } from '../../http/answer';

/** A POST without an idempotency key. */
export interface KeylessCall {
  readonly callerId: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly context: CallContext;
  /** True if the body of the response must not be stored: a retry makes it again. */
  readonly isCredential: boolean;
}

interface Claim {
  readonly id: string;
  readonly claimId: string | undefined;
  readonly answer: LostAnswer | undefined;
}

// Poll interval for the end of a call that is still running.
const lookEveryMs = 100;
// Margin after deadline and grace time, beyond which a call has certainly ended.
const leaseMarginMs = 1_000;
// A response without a reset by then counts as delivered.
const unreadMs = 1_000;
// Larger responses are not stored; the retry runs again.
const answerBytesMax = 128 * 1024;

/**
 * Recognizes retries of POSTs without an idempotency key. Each such call gets a seed, from which
 * the ids of all created resources are derived. A call that ends in 5xx, or whose connection ends
 * before the whole response is written, is recorded with its seed for ten minutes. The next equal
 * call waits while it runs, then gets its response or runs again with the same seed.
 */
export class LostCalls {
  private readonly connections = new Connections();

  constructor(
    private readonly registry: LostCallRegistry,
    private readonly clock: Clock,
  ) {}

  /** Runs `handle`, or returns the response of the earlier call that this one retries. */
  async run(
    call: KeylessCall,
    response: ServerResponse,
    handle: (retrySeed: RetrySeed) => Promise<ApiAnswer>,
  ): Promise<ApiAnswer> {
    // A queued call whose caller has disconnected must not run, since its retry may run first.
    await closedConnectionsSeen();
    if (hasDisconnected(response)) throw new DeadlineExceededError();
    const retried = await this.claim(call, response);
    const claim = retried ?? { id: newId(), claimId: undefined, answer: undefined };
    const tracked = new TrackedCall({ call, claim, response }, this.registry);
    if (hasDisconnected(response)) {
      if (retried !== undefined) tracked.release();
      throw new DeadlineExceededError();
    }
    tracked.follow();
    if (response.socket !== null) this.connections.follow(response.socket, tracked);
    if (claim.answer !== undefined) {
      response.setHeader('Idempotent-Replayed', 'true');
      if (!call.isCredential) return tracked.end(fromLostAnswer(claim.answer));
    }
    try {
      const answer = tracked.end(await handle({ seed: claim.id, isRetry: retried !== undefined }));
      await closedConnectionsSeen();
      return answer;
    } catch (error) {
      tracked.fail(error);
      throw error;
    }
  }

  /** Claims the earlier call that this one retries. */
  private async claim(call: KeylessCall, response: ServerResponse): Promise<Claim | undefined> {
    const { callerId, context } = call;
    await this.registry.upToDate();
    if (!this.registry.knows(callerId)) return undefined;
    const fingerprint = fingerprintOf(call);
    const claim = { claimId: newId(), claimedUntil: endOf(context) };
    for (;;) {
      const claimed = await this.registry.claim({ callerId, fingerprint }, claim, context);
      if (claimed !== 'running') return claimed && { ...claimed, claimId: claim.claimId };
      if (hasDisconnected(response)) throw new DeadlineExceededError();
      if (answerBy(context) <= this.clock.now()) throw stillRunning();
      await sleep(lookEveryMs);
    }
  }
}

/**
 * Detects clients that disconnected before reading the response: the end of the connection arrives
 * before the response is complete, or the system resets the connection when the response arrives.
 */
class Connections {
  private readonly latest = new WeakMap<Socket, TrackedCall>();
  private readonly watched = new WeakSet<Socket>();

  /** Follows the latest call of a connection until some time after its response. */
  follow(socket: Socket, tracked: TrackedCall): void {
    this.latest.set(socket, tracked);
    tracked.onAnswered = () => {
      setTimeout(() => {
        if (this.latest.get(socket) === tracked) this.latest.delete(socket);
      }, unreadMs).unref();
    };
    if (this.watched.has(socket)) return;
    this.watched.add(socket);
    // Runs before the server's own listener, which ends the connection. A client that closed its
    // side has sent an end, after which reads no longer show a reset. An empty write shows it.
    socket.prependListener('end', () => {
      const tracked = this.latest.get(socket);
      if (tracked === undefined) return;
      tracked.disconnect();
      if (socket.writable) socket.write(Buffer.alloc(0));
    });
    socket.once('close', (isReset) => {
      if (isReset) this.latest.get(socket)?.lose();
    });
  }
}

/** A call in flight, recorded if it is lost. */
class TrackedCall {
  onAnswered: () => void = () => undefined;
  private answer: ApiAnswer | undefined;
  private hasFailed = false;
  private isWritten = false;
  private isLost = false;

  constructor(
    private readonly dependencies: {
      readonly call: KeylessCall;
      readonly claim: Claim;
      readonly response: ServerResponse;
    },
    private readonly registry: LostCallRegistry,
  ) {}

  follow(): void {
    const { response } = this.dependencies;
    // `writableFinished` is also true for a response dropped because the connection had just ended.
    response.once('finish', () => {
      this.isWritten = true;
    });
    response.once('close', () => {
      this.close();
    });
  }

  /** Releases a claimed call for the next retry. */
  release(): void {
    const { answer } = this.dependencies.claim;
    if (answer !== undefined) this.answer = fromLostAnswer(answer);
    this.hasFailed = true;
    this.record();
  }

  end(answer: ApiAnswer): ApiAnswer {
    this.answer = answer;
    if (this.isLost) this.record();
    return answer;
  }

  fail(error: unknown): void {
    this.hasFailed = true;
    if (this.isLost || toHttpError(error).status >= 500) this.record();
    else this.forgetRetried();
  }

  /** Marks the call as lost: the caller disconnected without the response. */
  lose(): void {
    if (this.isLost) return;
    this.isLost = true;
    this.record();
  }

  /**
   * The client has ended the connection. The response is closed some time after that; a retry may
   * be read before.
   */
  disconnect(): void {
    if (!this.dependencies.response.writableEnded) this.lose();
  }

  private close(): void {
    if (!this.isWritten) {
      this.lose();
      return;
    }
    if (this.isLost) return;
    if (!this.hasFailed) this.forgetRetried();
    this.onAnswered();
  }

  private forgetRetried(): void {
    const { call, claim } = this.dependencies;
    if (claim.claimId !== undefined) this.registry.forget(call.callerId, claim.id);
  }

  private record(): void {
    const { call, claim } = this.dependencies;
    const { callerId, context } = call;
    const isRunning = this.answer === undefined && !this.hasFailed;
    this.registry.record(
      { id: claim.id, callerId, fingerprint: fingerprintOf(call) },
      {
        claimId: claim.claimId,
        runningUntil: isRunning ? endOf(context) : undefined,
        answer: this.answer && toLostAnswer(this.answer, call),
      },
    );
  }
}

/**
 * Resolves after pending events, which may include the end of the connection. A response on a
 * closed connection counts as lost.
 */
async function closedConnectionsSeen(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}

// Must be checked each time, since the caller may disconnect at any time. The response is destroyed
// some time after the connection has ended.
function hasDisconnected({ destroyed, socket }: ServerResponse): boolean {
  return destroyed || socket === null || !socket.writable;
}

function fingerprintOf({ callerId, context, isCredential: _, ...request }: KeylessCall): string {
  return requestHash({ ...request, of: [callerId, context.tenant.environmentId] });
}

function endOf({ deadline, graceMs = 0 }: CallContext): Date {
  return new Date(deadline.getTime() + graceMs + leaseMarginMs);
}

function stillRunning(): RequestError {
  return new RequestError(503, 'unavailable', 'Service unavailable', { 'Retry-After': '1' });
}

function toLostAnswer(
  { status, headers = {}, body }: ApiAnswer,
  { isCredential }: Pick<KeylessCall, 'isCredential'>,
): LostAnswer | undefined {
  const isEmpty = body === undefined || isCredential;
  const bytes = isEmpty ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
  if (bytes.length > answerBytesMax) return undefined;
  return { status, headers: { ...headers }, body: bytes };
}

function fromLostAnswer({ status, headers, body }: LostAnswer): ApiAnswer {
  const text = Buffer.from(body).toString();
  return text === '' ? { status, headers } : { status, headers, body: JSON.parse(text) as unknown };
}
