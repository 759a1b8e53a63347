import { type Stored, toStored, type Page } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { randomSecret } from '@billing/chassis/ids';
import { retryTransient } from '@billing/chassis/mongo';
import { DomainError } from '@billing/kernel/domain-error';
import { rotateSecret } from './secret';
import type { AddressPolicy } from './public-address';
import { toSecret } from './signature';
import type { Slot, SlotStore } from './slot-store';
import {
  change,
  disable,
  type EndpointKey,
  endpointsMax,
  neverRegistered,
  register,
  type Registration,
  remove,
  requireKnown,
  type WebhookEndpoint,
  type WebhookEndpointChanges,
} from './endpoint';

/** The facts that decide whether an endpoint receives an event. */
export interface Subscriber {
  readonly endpointId: string;
  readonly active: boolean;
  readonly events: readonly string[];
}

export interface EndpointStoreDependencies {
  readonly aggregates: AggregateCollection<WebhookEndpoint>;
  readonly slots: SlotStore;
  readonly policyOf: (tenant: Tenant) => AddressPolicy;
  readonly clock: Clock;
}

type Place = Pick<CallContext, 'tenant' | 'now' | 'storing'>;

/** The caller; for a gRPC call including the gate that its writes pass. */
export type EndpointCaller = Pick<CallContext, 'tenant' | 'storing'>;

const secretBytes = 32;
// A slot is taken a moment before its endpoint is stored. After this time its taker has died, or
// will be refused.
const abandonedAfterMs = 60_000;
// Deleted endpoints stay stored as tombstones.
const known = { deletedAt: null };

/**
 * The endpoints of all environments, and their number in each. Webhooks follow real time in every
 * environment.
 */
export class EndpointStore {
  constructor(private readonly dependencies: EndpointStoreDependencies) {}

  /**
   * Registers an endpoint once under its id; throws failed_precondition if the environment has
   * reached the limit.
   */
  async add(
    caller: EndpointCaller,
    id: string,
    registration: Registration,
  ): Promise<Stored<WebhookEndpoint>> {
    const { aggregates, policyOf } = this.dependencies;
    const place = this.placeOf(caller);
    const secret = toSecret(randomSecret(secretBytes));
    const transition = register(registration, { id, secret, policy: policyOf(caller.tenant) });
    await this.takeSlot(id, place);
    const { stored } = await aggregates.within(place).insert(transition);
    // Another process considered this one dead and freed its slot.
    if (stored.state.deletedAt !== undefined)
      throw new DomainError('unavailable', 'TOO_SLOW', 'Service unavailable');
    return stored;
  }

  /** Throws not_found. */
  async get(caller: EndpointCaller, id: string): Promise<Stored<WebhookEndpoint>> {
    const stored = await this.dependencies.aggregates.within(this.placeOf(caller)).get(id);
    requireKnown(stored.state);
    return stored;
  }

  /** Newest first. */
  async list(
    caller: EndpointCaller,
    wanted: { page: number; perPage: number; oldestFirst?: boolean },
  ): Promise<Page<WebhookEndpoint>> {
    const { aggregates } = this.dependencies;
    return aggregates.within(this.placeOf(caller)).list({ filter: known, ...wanted });
  }

  /** Throws not_found, stale if the version is not the expected one, or invalid_input. */
  async change(
    caller: EndpointCaller,
    id: string,
    {
      changes,
      expectedVersion,
    }: { changes: WebhookEndpointChanges; expectedVersion?: number | undefined },
  ): Promise<Stored<WebhookEndpoint>> {
    const policy = this.dependencies.policyOf(caller.tenant);
    // A deleted endpoint is reported as unknown before its version is compared.
    await this.get(caller, id);
    return this.dependencies.aggregates
      .within(this.placeOf(caller))
      .mutate(id, (endpoint, now) => change(endpoint, changes, { policy, now }), {
        expectedVersion,
      });
  }

  /**
   * Rotates an endpoint's secret, once under the rotation's id. Throws not_found, stale, or
   * failed_precondition.
   */
  async rotateSecret(
    caller: EndpointCaller,
    id: string,
    { rotationId, expectedVersion }: { rotationId: string; expectedVersion?: number | undefined },
  ): Promise<Stored<WebhookEndpoint>> {
    const secret = toSecret(randomSecret(secretBytes));
    const { state } = await this.get(caller, id);
    // A retry after a crash carries the version before its own change.
    const isRepeat = state.rotationId === rotationId;
    return this.dependencies.aggregates
      .within(this.placeOf(caller))
      .mutate(id, (endpoint, now) => rotateSecret(endpoint, { secret, rotationId, now }), {
        expectedVersion: isRepeat ? undefined : expectedVersion,
      });
  }

  /** Deletes an endpoint; throws not_found, also the second time. */
  async remove(caller: EndpointCaller, id: string): Promise<void> {
    await this.dependencies.aggregates.within(this.placeOf(caller)).mutate(id, remove);
  }

  /** Frees the slot of a deleted endpoint. */
  freeSlot(key: EndpointKey): Promise<void> {
    return this.dependencies.slots.release(key);
  }

  /**
   * Disables an endpoint in the state in which it was tried; returns false if it was changed or
   * reactivated since and stays active.
   */
  async disable({ tenant, state: tried }: Stored<WebhookEndpoint>): Promise<boolean> {
    const { state } = await this.dependencies.aggregates
      .within(this.placeOf({ tenant }))
      .mutate(tried.id, (endpoint) => disable(endpoint, tried));
    return !state.active;
  }

  /**
   * Returns an endpoint with its tenant, deleted ones included; undefined if it was never stored.
   */
  async find({
    environmentId,
    endpointId,
  }: EndpointKey): Promise<Stored<WebhookEndpoint> | undefined> {
    const { documents, definition } = this.dependencies.aggregates;
    const document = await retryTransient(() =>
      documents.findOne({ _id: endpointId, environmentId }),
    );
    return document === null ? undefined : toStored(definition, document);
  }

  /** Returns the endpoints of some environments, by environment. */
  async findSubscribers(environmentIds: readonly string[]): Promise<Map<string, Subscriber[]>> {
    const { documents } = this.dependencies.aggregates;
    const filter = { ...known, environmentId: { $in: [...new Set(environmentIds)] } };
    const subscribers = await retryTransient(() =>
      documents
        .find(filter)
        .project<Subscriber & { environmentId: string }>({
          _id: 0,
          endpointId: '$_id',
          environmentId: 1,
          active: 1,
          events: 1,
        })
        .toArray(),
    );
    return Map.groupBy(subscribers, ({ environmentId }) => environmentId);
  }

  private async takeSlot(endpointId: string, place: Place): Promise<void> {
    const { environmentId } = place.tenant;
    place.storing?.check();
    const slot = { environmentId, endpointId, slotsMax: endpointsMax, takenAt: place.now };
    if (await this.dependencies.slots.take(slot)) return;
    await this.releaseAbandoned(place);
    if (await this.dependencies.slots.take(slot)) return;
    throw new DomainError(
      'failed_precondition',
      'TOO_MANY_WEBHOOK_ENDPOINTS',
      `An environment has at most ${String(endpointsMax)} webhook endpoints`,
    );
  }

  /** Frees slots whose endpoint is deleted, or was never stored because its process died. */
  private async releaseAbandoned(place: Place): Promise<void> {
    const { slots } = this.dependencies;
    for (const slot of await slots.list(place.tenant.environmentId)) {
      if (await this.isAbandoned(slot, place)) await slots.release(slot);
    }
  }

  private async isAbandoned(slot: Slot, place: Place): Promise<boolean> {
    const endpoint = await this.find(slot);
    if (endpoint !== undefined) return endpoint.state.deletedAt !== undefined;
    if (place.now.getTime() - slot.takenAt.getTime() < abandonedAfterMs) return false;
    // The tombstone precedes the release: if the taker of the slot is merely slow, it can no longer
    // store its endpoint.
    const mark = neverRegistered(slot.endpointId, place.now);
    const { stored } = await this.dependencies.aggregates.within(place).insert(mark);
    return stored.state.deletedAt !== undefined;
  }

  private placeOf({ tenant, storing }: EndpointCaller): Place {
    return { tenant, storing, now: this.dependencies.clock.now() };
  }
}
