import { type Clock, sleep } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import type { Assignment, AssignmentStore } from './assignment-store';
import type { DeliveryStore } from './delivery-store';
import type { EndpointKey } from './endpoint-store';
import type { WebhookSender } from './webhook-sender';

/** What the worker works with. */
export interface DeliveryWorkerOptions {
  readonly assignments: AssignmentStore;
  readonly deliveries: DeliveryStore;
  readonly sender: WebhookSender;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One endpoint is sent at most this many deliveries at the same time. */
export const postingMaxPerEndpoint = 16;
// Most endpoints that fail also hang. They get less, so that many of them together leave room for the others.
const postingMaxWhileFailing = 2;
// Outcomes are stored while the next deliveries are sent, but no more than this may wait for it.
const claimedMaxPerEndpoint = 2 * postingMaxPerEndpoint;
const postingMax = 512;
// Bounds what is remembered of endpoints that have nothing to send.
const lanesMax = 10_000;

/** What this process knows of one endpoint. */
interface Lane {
  readonly key: EndpointKey;
  /** Deliveries from their claim until their outcome is stored, with their subscriptions. */
  readonly claimed: Map<string, string>;
  /** How many of them are being sent. */
  posting: number;
  isFilling: boolean;
  /** Something came while it was being filled. */
  isWanted: boolean;
  /** There was enough for all slots: a slot that gets free will find something. */
  hasMore: boolean;
  isFailing: boolean;
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
  private searchedUpTo: string | undefined;

  constructor(private readonly options: DeliveryWorkerOptions) {}

  /** Sends at once what has just become due at endpoints. */
  wake(endpoints: readonly EndpointKey[]): void {
    for (const key of endpoints) this.fill(this.laneOf(key));
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
    const free = freeSlotsOf(lane);
    const slots = Math.min(free, postingMax - this.slotsTaken);
    if (slots <= 0) {
      // A lane that is full itself is filled again when one of its own deliveries ends.
      lane.hasMore = true;
      if (free > 0) this.turns.add(lane);
      return;
    }
    lane.isFilling = true;
    this.slotsTaken += slots;
    this.track(this.fillSlots(lane, slots));
  }

  /** Gives back the slots that it finds no use for. */
  private async fillSlots(lane: Lane, slots: number): Promise<void> {
    const { assignments, logger } = this.options;
    let started = 0;
    try {
      const except = [...lane.claimed.values()];
      for (const assignment of await assignments.claim(lane.key, { slots, except })) {
        started += 1;
        this.track(this.send(lane, assignment));
      }
    } catch (error) {
      logger.warn({ err: error, ...lane.key }, 'deliveries cannot be claimed, will repeat');
    }
    this.slotsTaken -= slots - started;
    lane.hasMore = started === slots;
    lane.isFilling = false;
    if (lane.isWanted) {
      lane.isWanted = false;
      this.fill(lane);
    }
    if (started < slots) this.giveTurn();
  }

  private async send(lane: Lane, assignment: Assignment): Promise<void> {
    const { sender, logger } = this.options;
    const { _id, subscriptionId } = assignment.delivery;
    const { signal } = this.cutting;
    lane.claimed.set(_id, subscriptionId);
    lane.posting += 1;
    try {
      const tried = await sender.send(assignment, signal).finally(() => {
        this.freeSlot(lane);
      });
      const end = await sender.conclude(assignment, tried, { isCutOff: signal.aborted });
      if (end !== 'UNTRIED') lane.isFailing = end === 'FAILED';
    } catch (error) {
      // The lease ends by itself.
      logger.warn({ err: error, deliveryId: _id }, 'delivery will repeat');
    }
    lane.claimed.delete(_id);
    // What follows it may be sent now.
    this.fill(lane);
  }

  private freeSlot(lane: Lane): void {
    lane.posting -= 1;
    this.slotsTaken -= 1;
    if (lane.hasMore) this.turns.add(lane);
    this.giveTurn();
  }

  private giveTurn(): void {
    for (const lane of this.turns) {
      this.turns.delete(lane);
      if (freeSlotsOf(lane) > 0) {
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
      posting: 0,
      isFilling: false,
      isWanted: false,
      hasMore: false,
      isFailing: false,
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

function freeSlotsOf({ isFailing, posting, claimed }: Lane): number {
  const postingMaxNow = isFailing ? postingMaxWhileFailing : postingMaxPerEndpoint;
  return Math.min(postingMaxNow - posting, claimedMaxPerEndpoint - claimed.size);
}
