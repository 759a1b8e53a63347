import type { Stored } from '@billing/chassis/aggregate';
import { type Clock, sleep } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import type { Delivery, DeliveryStore } from './delivery-store';
import { successWrittenEveryMs } from './endpoint-health';
import type { EndpointKey, EndpointStore } from './endpoint-store';
import type { Message, MessageStore } from './message-store';
import type { WebhookEndpoint } from './webhook-endpoint';
import type { Assignment, AssignmentEnd, WebhookSender } from './webhook-sender';

/** What the worker works with. */
export interface DeliveryWorkerOptions {
  readonly endpoints: EndpointStore;
  readonly messages: MessageStore;
  readonly deliveries: DeliveryStore;
  readonly sender: WebhookSender;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Longer than an attempt can take with storing its outcome. */
  readonly leaseMs: number;
}

/** One endpoint gets at most this many deliveries at the same time. */
export const inFlightMaxPerEndpoint = 8;
// Most endpoints that fail also hang. They get less, so that many of them together leave room for the others.
const inFlightMaxWhileFailing = 2;
const inFlightMax = 512;
// Bounds what is remembered of endpoints that have nothing to send.
const lanesMax = 10_000;
const roundsMax = 20;

/** What this process knows of one endpoint. */
interface Lane {
  readonly key: EndpointKey;
  /** Deliveries that are being sent, with their subscriptions. */
  readonly inFlight: Map<string, string>;
  isFilling: boolean;
  /** Something came while it was being filled. */
  isWanted: boolean;
  isFailing: boolean;
  successWrittenAt: Date | undefined;
}

interface Ready {
  readonly delivery: Delivery;
  readonly message: Message;
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

  constructor(private readonly options: DeliveryWorkerOptions) {}

  /** Sends at once what has just become due at endpoints. */
  wake(endpoints: readonly EndpointKey[]): void {
    for (const key of endpoints) this.fill(this.laneOf(key));
  }

  /** Finds everything that is due, whoever accepted it. */
  async sendDue(): Promise<void> {
    const { deliveries, clock } = this.options;
    const except = [...this.lanes.values()]
      .filter((lane) => this.isBusy(lane))
      .map(({ key }) => key.endpointId);
    for (let round = 1; round <= roundsMax && !this.stopping.signal.aborted; round += 1) {
      const { endpoints, isAll } = await deliveries.findDueEndpoints({ now: clock.now(), except });
      this.wake(endpoints);
      if (isAll) return;
      // An endpoint with much to send must not hide the others.
      except.push(...endpoints.map(({ endpointId }) => endpointId));
    }
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
    if (this.stopping.signal.aborted) return;
    if (lane.isFilling) {
      lane.isWanted = true;
      return;
    }
    const slots = Math.min(freeSlotsOf(lane), inFlightMax - this.slotsTaken);
    if (slots <= 0) {
      // A lane that is full itself is filled again when one of its own deliveries ends.
      if (freeSlotsOf(lane) > 0) this.turns.add(lane);
      return;
    }
    lane.isFilling = true;
    this.slotsTaken += slots;
    this.track(this.fillSlots(lane, slots));
  }

  /** Gives back the slots that it finds no use for. */
  private async fillSlots(lane: Lane, slots: number): Promise<void> {
    let started = 0;
    try {
      for (const assignment of await this.claimReady(lane, slots)) {
        started += 1;
        this.track(this.send(lane, assignment));
      }
    } catch (error) {
      this.options.logger.warn(
        { err: error, ...lane.key },
        'deliveries cannot be read, will repeat',
      );
    }
    this.slotsTaken -= slots - started;
    lane.isFilling = false;
    if (lane.isWanted) {
      lane.isWanted = false;
      this.fill(lane);
    }
    if (started < slots) this.giveTurn();
  }

  private async claimReady({ key, inFlight }: Lane, slots: number): Promise<Assignment[]> {
    const { endpoints, deliveries, clock, leaseMs } = this.options;
    const ready = await this.findReady(key, { slots, except: [...inFlight.values()] });
    if (ready.length === 0 || this.stopping.signal.aborted) return [];
    const endpoint = await endpoints.find(key);
    if (!isActive(endpoint)) {
      await this.clearAway(key, endpoint);
      return [];
    }

    const now = clock.now();
    const claim = newId();
    const claimed = await deliveries.claim(
      ready.map(({ delivery }) => delivery),
      { claim, now, until: new Date(now.getTime() + leaseMs) },
    );
    const won = new Set(claimed.map(({ _id }) => _id));
    return ready
      .filter(({ delivery }) => won.has(delivery._id))
      .map(({ delivery, message }) => ({ endpoint, delivery, message, claim }));
  }

  /** Ends what is left for an endpoint that was deleted or disabled, e.g. by a process that died right after doing so. */
  private async clearAway(
    key: EndpointKey,
    endpoint: Stored<WebhookEndpoint> | undefined,
  ): Promise<void> {
    const { deliveries } = this.options;
    const isKnown = endpoint !== undefined && endpoint.state.deletedAt === undefined;
    await (isKnown ? deliveries.pause(key) : deliveries.discard(key));
  }

  /** Up to `slots` deliveries that are due, first of their subscription, and have their message. */
  private async findReady(
    key: EndpointKey,
    { slots, except }: { slots: number; except: string[] },
  ): Promise<Ready[]> {
    const { deliveries, messages, clock } = this.options;
    const now = clock.now();
    const ready: Ready[] = [];
    for (let round = 1; round <= roundsMax; round += 1) {
      const { heads, isAll } = await deliveries.findHeads(key, { now, except });
      const due = heads.filter(({ dueAt }) => dueAt !== null && dueAt <= now);
      // What waits for a later attempt of its predecessor is due no earlier than that one.
      const blocking = heads.filter(
        ({ dueAt, claim }) => dueAt !== null && dueAt > now && claim === null,
      );
      if (blocking.length > 0) await deliveries.hold(blocking);
      const ids = due.map(({ messageId }) => messageId);
      const found = await messages.findAll(key.environmentId, ids);
      for (const delivery of due) {
        const message = found.get(delivery.messageId);
        // Without its message it belongs to an event that is still being accepted.
        if (message !== undefined) ready.push({ delivery, message });
      }
      if (isAll || ready.length >= slots) break;
      except.push(...heads.map(({ subscriptionId }) => subscriptionId));
    }
    return ready.slice(0, slots);
  }

  private async send(lane: Lane, assignment: Assignment): Promise<void> {
    const { delivery } = assignment;
    lane.inFlight.set(delivery._id, delivery.subscriptionId);
    try {
      await this.noteEnd(lane, await this.options.sender.send(assignment, this.cutting.signal));
    } catch (error) {
      // The lease ends by itself.
      this.options.logger.warn({ err: error, deliveryId: delivery._id }, 'delivery will repeat');
    } finally {
      lane.inFlight.delete(delivery._id);
      this.slotsTaken -= 1;
      this.turns.add(lane);
      this.giveTurn();
    }
  }

  private async noteEnd(lane: Lane, end: AssignmentEnd): Promise<void> {
    if (end === 'UNTRIED') return;
    lane.isFailing = end === 'FAILED';
    if (lane.isFailing) {
      lane.successWrittenAt = undefined;
      return;
    }
    const now = this.options.clock.now();
    const writtenAt = lane.successWrittenAt?.getTime() ?? 0;
    if (now.getTime() - writtenAt < successWrittenEveryMs) return;
    lane.successWrittenAt = now;
    await this.options.sender.recordSuccess(lane.key, now);
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
      inFlight: new Map(),
      isFilling: false,
      isWanted: false,
      isFailing: false,
      successWrittenAt: undefined,
    };
    if (this.lanes.size >= lanesMax) this.forgetIdleLanes();
    this.lanes.set(key.endpointId, lane);
    return lane;
  }

  private forgetIdleLanes(): void {
    for (const [endpointId, lane] of this.lanes) {
      if (!this.isBusy(lane) && lane.inFlight.size === 0) this.lanes.delete(endpointId);
    }
  }

  private isBusy(lane: Lane): boolean {
    return lane.isFilling || this.turns.has(lane) || freeSlotsOf(lane) <= 0;
  }

  private track(work: Promise<void>): void {
    this.running.add(work);
    void work.finally(() => this.running.delete(work));
  }

  private async finishRunning(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }
}

function isActive(
  endpoint: Stored<WebhookEndpoint> | undefined,
): endpoint is Stored<WebhookEndpoint> {
  return endpoint?.state.active === true;
}

function freeSlotsOf({ isFailing, inFlight }: Lane): number {
  return (isFailing ? inFlightMaxWhileFailing : inFlightMaxPerEndpoint) - inFlight.size;
}
