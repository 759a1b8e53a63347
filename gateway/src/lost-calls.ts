import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { z } from 'zod';
import type { CallContext, RetrySeed } from '@billing/chassis/call-context';
import { answerBy } from '@billing/chassis/call-context';
import { type Clock, sleep } from '@billing/chassis/clock';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { newId } from '@billing/chassis/ids';
import type { LostAnswer } from '@billing/proto/billing/identity/v1/lost_call';
import { RequestError, toHttpError } from './http-error';
import { requestHash } from './idempotency';
import type { LostCallRegistry } from './lost-call-registry';
import type { ApiAnswer, Route } from './route';

/** A POST without an idempotency key. */
export interface KeylessCall {
  readonly callerId: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly context: CallContext;
}

interface Claim {
  readonly id: string;
  readonly claimId: string | undefined;
  readonly answer: LostAnswer | undefined;
}

// Gateways look for the end of a call that still runs so often.
const lookEveryMs = 100;
// A call has ended for certain so long after its deadline and grace.
const leaseMarginMs = 1_000;
// An answer that was not read by then was written to a caller that lives.
const unreadMs = 1_000;
// What a larger answer tells is found out by running again.
const answerBytesMax = 128 * 1024;

/**
 * Recognises retries of POSTs without an idempotency key. Every such call gets a seed, from which
 * the ids of all that it creates derive. A call that ends in 5xx, or whose connection ends before
 * its whole answer is written, is recorded with its seed for ten minutes; the next equal call waits
 * for it while it runs, and gets its answer or runs again with its seed.
 */
export class LostCalls {
  private readonly connections = new Connections();

  constructor(
    private readonly registry: LostCallRegistry,
    private readonly clock: Clock,
  ) {}

  /** The answer of `handle`, or of the earlier call that this one retries. */
  async run(
    call: KeylessCall,
    response: ServerResponse,
    handle: (retrySeed: RetrySeed) => Promise<ApiAnswer>,
  ): Promise<ApiAnswer> {
    // Nothing has begun: a call that waited long, and whose caller has gone away, must not run
    // after its own retry.
    await closedConnectionsSeen();
    if (isGone(response)) throw new DeadlineExceededError();
    const retried = await this.claim(call, response);
    const claim = retried ?? { id: newId(), claimId: undefined, answer: undefined };
    const tracked = new TrackedCall({ call, claim, response }, this.registry);
    if (isGone(response)) {
      if (retried !== undefined) tracked.release();
      throw new DeadlineExceededError();
    }
    tracked.follow();
    if (response.socket !== null) this.connections.follow(response.socket, tracked);
    if (claim.answer !== undefined) {
      response.setHeader('Idempotent-Replayed', 'true');
      return tracked.end(fromLostAnswer(claim.answer));
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

  /** The earlier call that this one retries. */
  private async claim(call: KeylessCall, response: ServerResponse): Promise<Claim | undefined> {
    const { callerId, context } = call;
    await this.registry.upToDate();
    if (!this.registry.knows(callerId)) return undefined;
    const fingerprint = fingerprintOf(call);
    const claim = { claimId: newId(), claimedUntil: endOf(context) };
    for (;;) {
      const claimed = await this.registry.claim({ callerId, fingerprint }, claim, context);
      if (claimed !== 'running') return claimed && { ...claimed, claimId: claim.claimId };
      if (isGone(response)) throw new DeadlineExceededError();
      if (answerBy(context) <= this.clock.now()) throw stillRunning();
      await sleep(lookEveryMs);
    }
  }
}

/** Whether a route's answer shows something once, which must not be kept. */
export function answersSecret({ operation: { answer } }: Route): boolean {
  const fields = answer.schema instanceof z.ZodObject ? Object.keys(answer.schema.shape) : [];
  return fields.includes('key') || fields.includes('secret');
}

/**
 * Notices connections whose client went away with the answer unread: the system resets them when
 * the answer arrives.
 */
class Connections {
  private readonly latest = new WeakMap<Socket, TrackedCall>();
  private readonly watched = new WeakSet<Socket>();

  /** Of all calls of a connection the latest counts, until some time after its answer. */
  follow(socket: Socket, tracked: TrackedCall): void {
    this.latest.set(socket, tracked);
    tracked.onAnswered = () => {
      setTimeout(() => {
        if (this.latest.get(socket) === tracked) this.latest.delete(socket);
      }, unreadMs).unref();
    };
    if (this.watched.has(socket)) return;
    this.watched.add(socket);
    // Before the server's own listener, which ends the connection. A client that closed its side
    // before the answer came has sent an end first, behind which reads do not show the reset; a
    // write shows it, even of nothing.
    socket.prependListener('end', () => {
      if (this.latest.has(socket) && socket.writable) socket.write(Buffer.alloc(0));
    });
    socket.once('close', (isReset) => {
      if (isReset) this.latest.get(socket)?.lose();
    });
  }
}

/** One call on its way, which is recorded when it is lost. */
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
    // `writableFinished` is true of an answer that was dropped because its connection had just
    // ended.
    response.once('finish', () => {
      this.isWritten = true;
    });
    response.once('close', () => {
      this.close();
    });
  }

  /** Leaves a claimed call to the next retry. */
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

  /** The caller has gone away without the answer. */
  lose(): void {
    if (this.isLost) return;
    this.isLost = true;
    this.record();
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
        answer: this.answer && toLostAnswer(this.answer),
      },
    );
  }
}

/**
 * Resolves after the events that wait already, the end of a connection among them: an answer on a
 * closed one counts as lost.
 */
async function closedConnectionsSeen(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}

// Read afresh: the caller may go away at any time. The response is destroyed some time after its
// connection has ended.
function isGone({ destroyed, socket }: ServerResponse): boolean {
  return destroyed || socket === null || !socket.writable;
}

function fingerprintOf({ callerId, context, ...request }: KeylessCall): string {
  return requestHash({ ...request, of: [callerId, context.tenant.environmentId] });
}

function endOf({ deadline, graceMs = 0 }: CallContext): Date {
  return new Date(deadline.getTime() + graceMs + leaseMarginMs);
}

function stillRunning(): RequestError {
  return new RequestError(503, 'unavailable', 'Service unavailable', { 'Retry-After': '1' });
}

function toLostAnswer({ status, headers = {}, body }: ApiAnswer): LostAnswer | undefined {
  const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
  if (bytes.length > answerBytesMax) return undefined;
  return { status, headers: { ...headers }, body: bytes };
}

function fromLostAnswer({ status, headers, body }: LostAnswer): ApiAnswer {
  const text = Buffer.from(body).toString();
  return text === '' ? { status, headers } : { status, headers, body: JSON.parse(text) as unknown };
}
