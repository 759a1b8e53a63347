import type { CallContext } from '@billing/chassis/call-context';
import { exportRpc, scanAggregates } from '@billing/chassis/export-rpc';
import { searchRpc } from '@billing/chassis/search-rpc';
import { type RunningService, Service, type ServiceOverrides } from '@billing/chassis/service';
import { Discount } from '@billing/proto/billing/discount/v1/discount';
import { Resource } from '@billing/proto/billing/export/v1/export';
import { ResultType } from '@billing/proto/billing/search/v1/search';
import { DueSlotStore } from './due-slot-store';
import type { DiscountConfiguration } from './config';
import { toProtoDiscount } from './discount-message';
import { announcedDiscounts } from './events';
import { connectPeers } from './peers';
import { reassertRedemptions } from './reassert-redemptions';
import { checkHolders } from './redemption-worker';
import { openClaims } from './reserve-redemption';
import { discountRpc } from './rpc';
import { discountsWith } from './store';
import { ensureSlotIndexes, openSlots, SlotStore } from './slot-store';

/** Overrides for tests. */
export interface DiscountOverrides extends ServiceOverrides {
  readonly checkAfterMs?: number;
  readonly checkIntervalMs?: number;
}

// Longer than any reserving request, so that the holder has usually confirmed or released by then.
const checkAfterMsDefault = 5 * 60_000;
const checkIntervalMsDefault = 30_000;

/** Starts the discount service: discounts and redemptions over gRPC. */
export async function start(
  config: DiscountConfiguration,
  overrides: DiscountOverrides = {},
): Promise<RunningService> {
  const service = await Service.open('discount', config, overrides);
  const peers = connectPeers(service, config);
  const discounts = service.aggregates(announcedDiscounts);
  const slots = openSlots(service.db);
  service.ensureIndexes(() => ensureSlotIndexes(slots));
  const checkAfterMs = overrides.checkAfterMs ?? checkAfterMsDefault;
  const { clock, logger } = service;
  const slotsOf = ({ tenant }: Pick<CallContext, 'tenant'>) => new SlotStore(slots, tenant, clock);
  const checking = {
    dueSlots: new DueSlotStore(slots),
    slotsOf,
    peers,
    clock,
    logger,
    checkAfterMs,
  };
  service.every({
    name: 'ask holders of redemptions',
    everyMs: overrides.checkIntervalMs ?? checkIntervalMsDefault,
    run: (signal) => checkHolders(checking, signal),
    onOneReplica: true,
  });
  const isDeleted = (environmentId: string) => service.deletion.isDeleted(environmentId);
  service.recoverBy({
    reassert: (recovery) => reassertRedemptions(recovery, { ...checking, isDeleted }),
  });
  return service.serve([
    discountRpc({ discounts, slotsOf, claims: openClaims(), peers, clock, checkAfterMs }),
    exportRpc(service, {
      [Resource.RESOURCE_DISCOUNT]: scanAggregates(discounts, {
        messagesOf: (found, context) =>
          Promise.all(
            found.map(async (stored) => {
              const redemptions = await slotsOf(context).count(stored.state.id);
              return [toProtoDiscount(stored, redemptions)];
            }),
          ),
        encoder: Discount,
      }),
    }),
    searchRpc(discounts.searchIndex, {
      type: ResultType.RESULT_TYPE_DISCOUNT,
      filterOf: ({ active }) => discountsWith({ active }),
      describe: ({ name, code, active }) => ({
        title: name,
        detail: code ?? '',
        status: active ? '' : 'INACTIVE',
      }),
    }),
  ]);
}
