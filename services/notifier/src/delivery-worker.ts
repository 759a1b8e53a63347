import { type Clock, monotonicMs, sleep } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import type { Assignment, AssignmentStore } from './assignment-store';
import { isAccepted } from './delivery';
import type { DeliveryStore } from './delivery-store';
import type { EndpointHealthStore } from './endpoint-health-store';
import type { EndpointKey } from './endpoint-store';
import { Grouping } from './grouping';
import type { WebhookSender } from './webhook-sender';

/** What the worker works with. */
export interface DeliveryWorkerOptions {
  readonly assignments: AssignmentStore;
  readonly deliveries: DeliveryStore;
  readonly health: Pick<EndpointHealthStore, 'findWorking'>;
  readonly sender: WebhookSender;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What was claimed waits at most so long to be sent: enough of its lease must be left for an attempt. */
  readonly waitMaxMs: number;
  /** Whether an environment was deleted: nothing of it is sent any more. */
  readonly isDeleted?: (environmentId: string) => boolean;
}

/** One endpoint is sent at most this many deliveries at the same time. */
export const postingMaxPerEndpoint = 16;
// Most endpoints that fail also hang. They get less, and so does one of which nothing is known yet.
const postingMaxWhileFailing = 2;
// Of an endpoint that answers soon more is claimed than is sent at once, because one claim of many costs hardly more than one of one. So
// much may wait to be sent, be sent, or wait for its outcome to be stored.
const claimedMaxPerEndpoint = 128;
const roundsMax = claimedMaxPerEndpoint / postingMaxPerEndpoint;
// While so much waits to be sent, nothing more is claimed.
const waitingEnough = postingMaxPerEndpoint;
const slotsMax = 512;
// All endpoints that do not answer soon share these, however many there are: the others are for those that do.
const slowSlotsMax = slotsMax / 2;
// Only a small part of the time that something may wait passes before what was claimed ahead of an endpoint that answers soon is sent.
const soonShare = 1 / 4;
// Bounds what is remembered of endpoints that have nothing to send.
const lanesMax = 10_000;

/** What this process knows of one endpoint. */
interface Lane {
  readonly key: EndpointKey;
  /** Deliveries from their claim until their outcome is stored, with their subscriptions. */
  readonly claimed: Map<string, string>;
  /** Those of them that are not being sent yet, in the order in which they will be. */
  readonly waiting: Waiting[];
  /** How many of them are being sent. */
  posting: number;
  isFilling: boolean;
  /** What earlier processes found out about it was read. */
  isKnown: boolean;
  /** Something came while it was being filled. */
  isWanted: boolean;
  /** There was enough for all slots: a slot that gets free will find something. */
  hasMore: boolean;
  /** It did not take the last delivery of any process, or has never been sent one. */
  isFailing: boolean;
  /** It took the last delivery, so soon that all that may be claimed could be sent in time. */
  isFast: boolean;
  /** How many of all slots it has. */
  slots: number;
}

/** A claimed delivery that waits for its turn. */
interface Waiting {
  readonly assignment: Assignment;
  /** Monotonic. */
  readonly sinceMs: number;
}

/**
 * The sending loop. Each endpoint has a lane of its own with few slots; a lane is filled with the first unfinished delivery of each of its
 * subscriptions, when something new is accepted, when a slot gets free, and when the poll finds something due. What another process
 * has claimed is left to it until its lease ends.
 */
export class DeliveryWorker {
  private readonly lanes = new Map<string, Lane>();
  /** Lanes that could use a slot, in the order in which they get one. */
  private readonly turns = new Set<Lane>();
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly cutting = new AbortController();
  private slotsTaken = 0;
  /** Those of them that lanes have that are not fast. */
  private slowSlotsTaken = 0;
  private searchedUpTo: string | undefined;
  private readonly working: Grouping<string, boolean>;

  constructor(private readonly options: DeliveryWorkerOptions) {
    this.working = new Grouping(async (endpointIds) => {
      const working = await options.health.findWorking(endpointIds);
      return endpointIds.map((endpointId) => working.has(endpointId));
    });
  }

  /** Sends at once what has just become due at endpoints. */
  wake(endpoints: readonly EndpointKey[]): void {
    for (const key of endpoints) this.fill(this.laneOf(key));
  }

  /** An endpoint has been changed: what waits to be sent to it is claimed again, for the endpoint as it is now. */
  reconsider({ endpointId }: EndpointKey): void {
    const lane = this.lanes.get(endpointId);
    if (lane !== undefined) this.giveBackWaiting(lane);
  }

  /** Finds what is due, whoever accepted it; what there is no time for comes with the next calls. */
  async sendDue(): Promise<void> {
    if (this.isStopping()) return;
    const { deliveries, clock } = this.options;
    const found = await deliveries.findDueEndpoints({ now: clock.now(), after: this.searchedUpTo });
    this.searchedUpTo = found.next;
    this.wake(found.endpoints);
  }

  /** Claims nothing more and finishes what is being sent; what takes longer than `graceMs` is cut off and due again at once. */
  async stop(graceMs: number): Promise<void> {
    this.stopping.abort();
    for (const lane of this.lanes.values()) this.giveBackWaiting(lane);
    const finished = new AbortController();
    const all = this.finishRunning().then(() => {
      finished.abort();
    });
    await sleep(graceMs, finished.signal);
    this.cutting.abort();
    await all;
  }

  private fill(lane: Lane): void {
    if (this.isStopping()) return;
    if (lane.isFilling) {
      lane.isWanted = true;
      return;
    }
    if (!lane.isKnown) {
      lane.isFilling = true;
      this.track(this.getToKnow(lane));
      return;
    }
    const free = freeSlotsOf(lane);
    const slots = Math.min(free, this.roomFor(lane));
    if (slots <= 0) {
      // A lane that is full itself is filled again when one of its own deliveries ends.
      lane.hasMore = true;
      if (free > 0) this.turns.add(lane);
      return;
    }
    lane.isFilling = true;
    this.takeSlots(lane, slots);
    this.track(this.fillSlots(lane, slots));
  }

  /** One that took its last delivery before a restart must not wait behind those that hang. */
  private async getToKnow(lane: Lane): Promise<void> {
    try {
      lane.isFailing = !(await this.working.add(lane.key.endpointId));
    } catch (error) {
      this.options.logger.warn({ err: error, ...lane.key }, 'reading endpoint health failed');
    }
    lane.isKnown = true;
    lane.isFilling = false;
    lane.isWanted = false;
    this.fill(lane);
  }

  /** Gives back the slots that it finds no use for. */
  private async fillSlots(lane: Lane, slots: number): Promise<void> {
    const { assignments, logger } = this.options;
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
    this.sendWaiting(lane);
    if (lane.isWanted) {
      lane.isWanted = false;
      this.fill(lane);
    }
    if (started < slots) this.giveTurn();
  }

  /** Sends of what waits as much as may be sent at once; what has waited too long is claimed again. */
  private sendWaiting(lane: Lane): void {
    if (this.isStopping()) this.giveBackWaiting(lane);
    while (lane.posting < postingMaxOf(lane)) {
      const next = lane.waiting.shift();
      if (next === undefined) return;
      const isTooLate = monotonicMs() - next.sinceMs > this.options.waitMaxMs;
      this.track(isTooLate ? this.giveBack(lane, next) : this.send(lane, next));
    }
  }

  /** A receiver that fails may be gone, and a slow one would let them wait too long: the worker that claims them next looks at it again. */
  private giveBackWaiting(lane: Lane): void {
    for (const one of lane.waiting.splice(0)) this.track(this.giveBack(lane, one));
  }

  private async giveBack(lane: Lane, { assignment }: Waiting): Promise<void> {
    this.freeSlot(lane);
    await this.options.sender.giveBack(assignment);
    lane.claimed.delete(assignment.delivery._id);
    this.fill(lane);
  }

  private async send(lane: Lane, { assignment }: Waiting): Promise<void> {
    const { sender, logger, waitMaxMs, isDeleted } = this.options;
    const { _id, environmentId } = assignment.delivery;
    if (isDeleted?.(environmentId) === true) {
      this.freeSlot(lane);
      lane.claimed.delete(_id);
      return;
    }
    const { signal } = this.cutting;
    lane.posting += 1;
    try {
      const tried = await sender.send(assignment, signal).finally(() => {
        lane.posting -= 1;
      });
      lane.isFailing = !isAccepted(tried.outcome);
      const isSoon = tried.durationMs * roundsMax < waitMaxMs * soonShare;
      this.setFast(lane, isSoon && !lane.isFailing);
      if (!lane.isFast) this.giveBackWaiting(lane);
      this.freeSlot(lane);
      this.sendWaiting(lane);
      await sender.conclude(assignment, tried, { isCutOff: signal.aborted });
    } catch (error) {
      // The lease ends by itself.
      logger.warn(
        { err: error, deliveryId: _id },
        'delivery failed, retrying after its lease expires',
      );
    }
    lane.claimed.delete(_id);
    // What follows it may be sent now.
    this.fill(lane);
  }

  /** A negative number frees slots. */
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

  /** One that takes what it is sent gets at least one slot: after a slow moment it must not wait behind all that hang. */
  private roomFor({ isFast, isFailing, slots }: Lane): number {
    const room = slotsMax - this.slotsTaken;
    if (isFast) return room;
    const least = isFailing || slots > 0 ? 0 : 1;
    return Math.min(room, Math.max(least, slowSlotsMax - this.slowSlotsTaken));
  }

  private freeSlot(lane: Lane): void {
    this.takeSlots(lane, -1);
    if (lane.hasMore) this.turns.add(lane);
    this.giveTurn();
  }

  private giveTurn(): void {
    for (const lane of this.turns) {
      const isFree = freeSlotsOf(lane) > 0;
      // It keeps its turn until there is room for its kind.
      if (isFree && this.roomFor(lane) <= 0) continue;
      this.turns.delete(lane);
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
      posting: 0,
      isFilling: false,
      isKnown: false,
      isWanted: false,
      hasMore: false,
      isFailing: true,
      isFast: false,
      slots: 0,
    };
    if (this.lanes.size >= lanesMax) this.forgetIdleLanes();
    this.lanes.set(key.endpointId, lane);
    return lane;
  }

  private forgetIdleLanes(): void {
    for (const [endpointId, lane] of this.lanes) {
      if (!this.isBusy(lane) && lane.claimed.size === 0) this.lanes.delete(endpointId);
    }
  }

  private isBusy(lane: Lane): boolean {
    return lane.isFilling || this.turns.has(lane) || freeSlotsOf(lane) <= 0;
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

function postingMaxOf({ isFailing }: Lane): number {
  return isFailing ? postingMaxWhileFailing : postingMaxPerEndpoint;
}

/** How many more of its deliveries may be claimed. */
function freeSlotsOf(lane: Lane): number {
  const { isFast, posting, waiting, claimed } = lane;
  if (waiting.length >= waitingEnough) return 0;
  const ahead = isFast ? claimedMaxPerEndpoint : postingMaxOf(lane) - posting - waiting.length;
  return Math.min(ahead, claimedMaxPerEndpoint - claimed.size);
}
