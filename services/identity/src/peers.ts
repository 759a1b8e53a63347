import type { Peer } from '@billing/chassis/peer';
import type { Service } from '@billing/chassis/service';
import {
  type DueWorkServiceServer,
  DueWorkServiceService,
  WorkClass as ProtoWorkClass,
} from '@billing/proto/billing/clock/v1/due_work';
import {
  type SystemServiceServer,
  SystemServiceService,
} from '@billing/proto/billing/system/v1/system';
import type { IdentityConfiguration } from './config';
import type { WorkClass } from './clock/clock-advance';
import type { DueWorkPeer } from './clock/clock-advance-worker';

/** Connects all services with due work. The environment is that of the call context. */
export function connectDueWork(service: Service, config: IdentityConfiguration): DueWorkPeer[] {
  return addressesOf(config).map((address) =>
    toDueWorkPeer(
      service.peer<DueWorkServiceServer>(DueWorkServiceService, {
        address,
        // One for each clock that is advanced: it must not wait for others.
        callsMax: Infinity,
        withoutTenant: ['getNextDue', 'runDue', 'getActivity'],
      }),
    ),
  );
}

/** Connects all services that store data of environments. */
export function connectSystems(
  service: Service,
  config: IdentityConfiguration,
): Peer<SystemServiceServer>[] {
  return addressesOf(config).map((address) =>
    service.peer<SystemServiceServer>(SystemServiceService, {
      address,
      withoutTenant: ['getStatus', 'deleteEnvironment'],
    }),
  );
}

function addressesOf(config: IdentityConfiguration): string[] {
  return [
    config.CHECKOUT_ADDRESS,
    config.SUBSCRIPTION_ADDRESS,
    config.CUSTOMER_ADDRESS,
    config.CATALOG_ADDRESS,
    config.DISCOUNT_ADDRESS,
    config.METERING_ADDRESS,
    config.NOTIFIER_ADDRESS,
  ];
}

function toDueWorkPeer(peer: Peer<DueWorkServiceServer>): DueWorkPeer {
  return {
    nextDue: async (until, context) => {
      const { environmentId } = context.tenant;
      const { dueAt } = await peer.getNextDue({ environmentId, until }, context);
      return dueAt;
    },
    runDue: async (until, workClass, context) => {
      const { environmentId } = context.tenant;
      const request = { environmentId, until, workClass: toProtoWorkClass[workClass] };
      const { processed } = await peer.runDue(request, context);
      return processed;
    },
    activity: async ({ until, workClass, idleAt: idleAtActivity }, context) => {
      const { environmentId } = context.tenant;
      const asked = { environmentId, until, workClass: toProtoWorkClass[workClass] };
      const request = { ...asked, idleAtActivity };
      const { pending, due, activity } = await peer.getActivity(request, context);
      return { pending, due, writes: activity };
    },
    settle: async (until, context) => {
      const { environmentId } = context.tenant;
      const workClass = ProtoWorkClass.WORK_CLASS_RENEWAL;
      const { unsettled } = await peer.getActivity(
        { environmentId, until, workClass, settles: true },
        context,
      );
      return unsettled ?? 0;
    },
  };
}

const toProtoWorkClass: Readonly<Record<WorkClass, ProtoWorkClass>> = {
  COLLECTION: ProtoWorkClass.WORK_CLASS_COLLECTION,
  END: ProtoWorkClass.WORK_CLASS_END,
  RENEWAL: ProtoWorkClass.WORK_CLASS_RENEWAL,
};
