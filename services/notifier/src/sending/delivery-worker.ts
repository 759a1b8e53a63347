import { Batcher, succeeded } from '@billing/chassis/batcher';
import { type Clock, monotonicMs, sleep } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import { QuietPoll } from '@billing/chassis/quiet-poll';
import type { Slices } from '@billing/chassis/slices';
import type { Assignment, AssignmentStore } from './assignment-store';
import { isAccepted } from '../delivery/delivery';
import type { DeliveryStore } from '../delivery/delivery-store';
import type { EndpointHealthStore } from '../endpoint/health-store';
import type { EndpointKey } from '../endpoint/endpoint';
import type { WebhookSender } from './webhook-sender';

export interface DeliveryWorkerDependencies {
  readonly assignments: AssignmentStore;
  readonly deliveries: DeliveryStore;
  readonly health: Pick<EndpointHealthStore, 'findWorking'>;
  readonly sender: WebhookSender;
  /** Share of endpoints whose due deliveries this replica finds. */
  readonly slices: Pick<Slices, 'owns' | 'isAlone'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Longest wait between claim and sending: the rest of the lease must cover an attempt. */
  readonly waitMaxMs: number;
  /** True for a deleted environment, to which nothing is sent. */
  readonly isDeleted?: (environmentId: string) => boolean;
}

/** Concurrent deliveries per endpoint. */
export const inFlightMaxPerEndpoint = 16;
// Most endpoints that fail also hang. They get fewer slots, and so does an endpoint without a known
// result.
const inFlightMaxWhileFailing = 2;
// For an endpoint that answers quickly, more is claimed than is sent concurrently, because a claim
// of many costs hardly more than a claim of one. Bounds the deliveries that wait to be sent, are in
// flight, or wait for their outcome to be stored.
const claimedMaxPerEndpoint = 128;
const roundsMax = claimedMaxPerEndpoint / inFlightMaxPerEndpoint;
// With this many waiting, nothing more is claimed.
const waitingMax = inFlightMaxPerEndpoint;
// Endpoints of one lookup.
const endpointsMax = 100;
const slotsMax = 512;
// All slow endpoints share these slots, however many there are; the others are for fast ones.
const slowSlotsMax = slotsMax / 2;
// A fast endpoint accepts everything claimed for it within this share of the longest wait.
const fastShare = 1 / 4;
// Bounds the memory used for idle endpoints.
const lanesMax = 10_000;

/** State of one endpoint in this process. */
interface Lane {
  readonly key: EndpointKey;
  /** Deliveries from their claim until their outcome is stored, with their subscriptions. */
  readonly claimed: Map<string, string>;
  /** Claimed deliveries that are not in flight yet, in the order of sending. */
  readonly waiting: Waiting[];
  /** Number in flight. */
  inFlight: number;
  isFilling: boolean;
  /** The stored health of the endpoint was read. */
  isKnown: boolean;
  /** A request to fill the lane arrived while it was being filled. */
  isFillRequested: boolean;
  /** The last claim filled all slots, so another one will probably find more. */
  hasMore: boolean;
  /** The last delivery of any process failed, or the endpoint was never tried. */
  isFailing: boolean;
  /** The last delivery succeeded so quickly that everything claimed can be sent in time. */
  isFast: boolean;
  /** The number of global slots that the lane holds. */
  slots: number;
  /** Number of changes of the endpoint that this process has received. */
  changes: number;
}

/** A claimed delivery that waits to be sent. */
interface Waiting {
  readonly assignment: Assignment;
  /** Monotonic. */
  readonly sinceMs: number;
}

/**
 * The sending loop. Each endpoint has its own lane with few slots. A lane claims the first
 * unfinished delivery of each of its subscriptions when an event is accepted, when a slot becomes
 * free, and when the poll finds due work. A delivery claimed by another process is left to it until
 * its lease ends.
 */
export class DeliveryWorker {
  private readonly lanes = new Map<string, Lane>();
  /** Lanes that want a slot, in FIFO order. */
  private readonly slotQueue = new Set<Lane>();
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly aborting = new AbortController();
  private slotsTaken = 0;
  /** Slots held by slow lanes. */
  private slowSlotsTaken = 0;
  private searchedUpTo: string | undefined;
  private readonly working: Batcher<string, boolean>;
  private readonly poll: QuietPoll;

  constructor(private readonly dependencies: DeliveryWorkerDependencies) {
    const { deliveries, slices, clock } = dependencies;
    const { collections } = deliveries;
    this.poll = new QuietPoll({ collections, isAlone: () => slices.isAlone, clock });
    this.working = new Batcher({
      batchMax: endpointsMax,
      flushesMax: 1,
      flush: async (endpointIds) => {
        const working = await dependencies.health.findWorking(endpointIds);
        return succeeded(endpointIds.map((endpointId) => working.has(endpointId)));
      },
    });
  }

  /** Sends new due deliveries of endpoints immediately. */
  wake(endpoints: readonly EndpointKey[]): void {
    for (const key of endpoints) this.fill(this.laneOf(key));
  }

  /**
   * Reclaims what waits to be sent to a changed endpoint, and what is being claimed for it, so that
   * it is sent to the endpoint as it is now.
   */
  reclaim({ endpointId }: EndpointKey): void {
    const lane = this.lanes.get(endpointId);
    if (lane === undefined) return;
    lane.changes += 1;
    this.releaseWaiting(lane);
  }

  /**
   * Finds due deliveries of the replica's share of endpoints, whichever process accepted them; what
   * exceeds the time is left to the next calls.
   */
  async sendDue(): Promise<void> {
    if (this.isStopping()) return;
    const { deliveries, slices } = this.dependencies;
    const endpoints = await this.poll.poll(async (now) => {
      const found = await deliveries.findDueEndpoints({ now, after: this.searchedUpTo });
      this.searchedUpTo = found.next;
      return found.endpoints;
    });
    this.wake(endpoints.filter(({ endpointId }) => slices.owns(endpointId)));
  }

  /**
   * Stops claiming and finishes the deliveries in flight. Those that exceed `graceMs` are aborted
   * and immediately due again.
   */
  async stop(graceMs: number): Promise<void> {
    this.stopping.abort();
    for (const lane of this.lanes.values()) this.releaseWaiting(lane);
    const finished = new AbortController();
    const all = this.finishRunning().then(() => {
      finished.abort();
    });
    await sleep(graceMs, finished.signal);
    this.aborting.abort();
    await all;
  }

  private fill(lane: Lane): void {
    if (this.isStopping()) return;
    if (lane.isFilling) {
      lane.isFillRequested = true;
      return;
    }
    if (!lane.isKnown) {
      lane.isFilling = true;
      this.track(this.loadHealth(lane));
      return;
    }
    const free = freeSlotsOf(lane);
    const slots = Math.min(free, this.availableSlots(lane));
    if (slots <= 0) {
      // A full lane is filled again when one of its own deliveries ends.
      lane.hasMore = true;
      if (free > 0) this.slotQueue.add(lane);
      return;
    }
    lane.isFilling = true;
    this.takeSlots(lane, slots);
    this.track(this.fillSlots(lane, slots));
  }

  /**
   * Loads the stored health: an endpoint that accepted its last delivery before a restart must not
   * wait behind those that hang.
   */
  private async loadHealth(lane: Lane): Promise<void> {
    try {
      lane.isFailing = !(await this.working.run(lane.key.endpointId));
    } catch (error) {
      this.dependencies.logger.warn({ err: error, ...lane.key }, 'reading endpoint health failed');
    }
    lane.isKnown = true;
    lane.isFilling = false;
    lane.isFillRequested = false;
    this.fill(lane);
  }

  /** Fills slots and gives back the unused ones. */
  private async fillSlots(lane: Lane, slots: number): Promise<void> {
    const { assignments, logger } = this.dependencies;
    const { changes } = lane;
    let started = 0;
    try {
      const except = [...lane.claimed.values()];
      for (const assignment of await assignments.claim(lane.key, { slots, except })) {
        started += 1;
        const { _id, subscriptionId } = assignment.delivery;
        lane.claimed.set(_id, subscriptionId);
        lane.waiting.push({ assignment, sinceMs: monotonicMs() });
      }
    } catch (error) {
      logger.warn({ err: error, ...lane.key }, 'claiming deliveries failed, retrying');
    }
    this.takeSlots(lane, started - slots);
    lane.hasMore = started === slots;
    lane.isFilling = false;
    // The claim may have read the endpoint as it was before a change.
    if (lane.changes !== changes) this.releaseWaiting(lane);
    this.sendWaiting(lane);
    if (lane.isFillRequested) {
      lane.isFillRequested = false;
      this.fill(lane);
    }
    if (started < slots) this.fillNextLane();
  }

  /**
   * Sends waiting deliveries up to the concurrency limit; releases the claims of those that have
   * waited too long.
   */
  private sendWaiting(lane: Lane): void {
    if (this.isStopping()) this.releaseWaiting(lane);
    while (lane.inFlight < inFlightMaxOf(lane)) {
      const next = lane.waiting.shift();
      if (next === undefined) return;
      const isTooLate = monotonicMs() - next.sinceMs > this.dependencies.waitMaxMs;
      this.track(isTooLate ? this.release(lane, next) : this.send(lane, next));
    }
  }

  /**
   * Releases the claims of waiting deliveries. A failing receiver may be gone, and a slow one would
   * let them wait too long; the next claim checks the endpoint again.
   */
  private releaseWaiting(lane: Lane): void {
    for (const one of lane.waiting.splice(0)) this.track(this.release(lane, one));
  }

  private async release(lane: Lane, { assignment }: Waiting): Promise<void> {
    this.freeSlot(lane);
    await this.dependencies.sender.release(assignment);
    lane.claimed.delete(assignment.delivery._id);
    this.fill(lane);
  }

  private async send(lane: Lane, { assignment }: Waiting): Promise<void> {
    const { sender, logger, waitMaxMs, isDeleted } = this.dependencies;
    const { _id, environmentId } = assignment.delivery;
    if (isDeleted?.(environmentId) === true) {
      this.freeSlot(lane);
      lane.claimed.delete(_id);
      return;
    }
    const { signal } = this.aborting;
    lane.inFlight += 1;
    try {
      const tried = await sender.send(assignment, signal).finally(() => {
        lane.inFlight -= 1;
      });
      lane.isFailing = !isAccepted(tried.outcome);
      const isQuick = tried.durationMs * roundsMax < waitMaxMs * fastShare;
      this.setFast(lane, isQuick && !lane.isFailing);
      if (!lane.isFast) this.releaseWaiting(lane);
      this.freeSlot(lane);
      this.sendWaiting(lane);
      await sender.storeResult(assignment, tried, { isAborted: signal.aborted });
    } catch (error) {
      // The lease will expire.
      logger.warn(
        { err: error, deliveryId: _id },
        'delivery failed, retrying after its lease expires',
      );
    }
    lane.claimed.delete(_id);
    // The successor may be sent now.
    this.fill(lane);
  }

  /** Takes slots; a negative number frees them. */
  private takeSlots(lane: Lane, slots: number): void {
    lane.slots += slots;
    this.slotsTaken += slots;
    if (!lane.isFast) this.slowSlotsTaken += slots;
  }

  private setFast(lane: Lane, isFast: boolean): void {
    if (lane.isFast === isFast) return;
    lane.isFast = isFast;
    this.slowSlotsTaken += isFast ? -lane.slots : lane.slots;
  }

  /**
   * Gives a working endpoint at least one slot: after one slow response it must not wait behind all
   * that hang.
   */
  private availableSlots({ isFast, isFailing, slots }: Lane): number {
    const room = slotsMax - this.slotsTaken;
    if (isFast) return room;
    const least = isFailing || slots > 0 ? 0 : 1;
    return Math.min(room, Math.max(least, slowSlotsMax - this.slowSlotsTaken));
  }

  private freeSlot(lane: Lane): void {
    this.takeSlots(lane, -1);
    if (lane.hasMore) this.slotQueue.add(lane);
    this.fillNextLane();
  }

  private fillNextLane(): void {
    for (const lane of this.slotQueue) {
      const isFree = freeSlotsOf(lane) > 0;
      // The lane keeps its place in the queue until its class has a free slot.
      if (isFree && this.availableSlots(lane) <= 0) continue;
      this.slotQueue.delete(lane);
      if (isFree) {
        this.fill(lane);
        return;
      }
    }
  }

  private laneOf(key: EndpointKey): Lane {
    const known = this.lanes.get(key.endpointId);
    if (known !== undefined) return known;
    const lane: Lane = {
      key,
      claimed: new Map(),
      waiting: [],
      inFlight: 0,
      isFilling: false,
      isKnown: false,
      isFillRequested: false,
      hasMore: false,
      isFailing: true,
      isFast: false,
      slots: 0,
      changes: 0,
    };
    if (this.lanes.size >= lanesMax) this.evictIdleLanes();
    this.lanes.set(key.endpointId, lane);
    return lane;
  }

  private evictIdleLanes(): void {
    for (const [endpointId, lane] of this.lanes) {
      if (!this.isBusy(lane) && lane.claimed.size === 0) this.lanes.delete(endpointId);
    }
  }

  private isBusy(lane: Lane): boolean {
    return lane.isFilling || this.slotQueue.has(lane) || freeSlotsOf(lane) <= 0;
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private track(work: Promise<void>): void {
    this.running.add(work);
    void work.finally(() => this.running.delete(work));
  }

  private async finishRunning(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }
}

function inFlightMaxOf({ isFailing }: Lane): number {
  return isFailing ? inFlightMaxWhileFailing : inFlightMaxPerEndpoint;
}

/** The number of deliveries that the lane may still claim. */
function freeSlotsOf(lane: Lane): number {
  const { isFast, inFlight, waiting, claimed } = lane;
  if (waiting.length >= waitingMax) return 0;
  const ahead = isFast ? claimedMaxPerEndpoint : inFlightMaxOf(lane) - inFlight - waiting.length;
  return Math.min(ahead, claimedMaxPerEndpoint - claimed.size);
}
