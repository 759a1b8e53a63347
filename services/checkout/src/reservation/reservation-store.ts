import { type AggregateDefinition, type TenantFields, tenantOf } from '@billing/chassis/aggregate';
import { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, workContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { derivedId } from '@billing/chassis/ids';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import type { Collection, Db } from 'mongodb';
import type { ChangeReservation, Reserved } from './change-reservation';
import type { ChangeRound } from '../invoice/reservation';
import { type Count, type Nullable, nullable } from '../invoice/document/stored-fields';

type ReservationDocument = Omit<Nullable<ChangeReservation>, 'id' | 'round' | 'reserved'> & {
  readonly _id: string;
  readonly round: Count;
  readonly reserved: Nullable<Reserved> | null;
};

/** The fields by which the sweeper finds a reservation. */
interface DueDocument extends TenantFields {
  readonly _id: string;
  readonly updatedAt: Date;
  readonly lookAt: Date | null;
}

const batchMax = 100;

const reservationDefinition: AggregateDefinition<ChangeReservation> = {
  collection: 'changeReservations',
  aggregate: 'changeReservation',
  resource: 'Reservation',
  toDocument: ({ id: _id, reserved, ...fields }) => ({
    ...nullable(fields),
    reserved: reserved === undefined ? null : nullable(reserved),
  }),
  fromDocument: (document) => {
    const { _id: id, changeId, ...stored } = document as unknown as ReservationDocument;
    const { status, reserved } = stored;
    return {
      ...{ id, changeId, status },
      round: Number(stored.round),
      reserved: reserved === null ? undefined : fromReserved(reserved),
      lookAt: stored.lookAt ?? undefined,
    };
  },
};

function fromReserved(reserved: Nullable<Reserved>): Reserved {
  const { subscriptionId, customerId, currency, changeInvoiceId, credits, balance } = reserved;
  return {
    ...{ subscriptionId, customerId, currency, changeInvoiceId },
    credits: credits.map(({ invoiceId, lineItemId, amount }) => ({
      ...{ invoiceId, lineItemId, amount },
    })),
    balance: balance ?? undefined,
  };
}

/** Opens the reservations. They have neither commands nor events, so no relay reads them. */
export function openReservations(db: Db, clock: Clock): AggregateCollection<ChangeReservation> {
  return new AggregateCollection(db, reservationDefinition, { clock });
}

/** Id of the only document of a round. */
export function reservationIdOf(
  { changeId, round }: ChangeRound,
  { tenant }: Pick<CallContext, 'tenant'>,
): string {
  return derivedId(tenant.environmentId, 'changeReservation', changeId, round);
}

/** Reservations of all environments that the sweeper looks at, by real time. */
export class DueReservations {
  private readonly documents: Collection<DueDocument>;

  constructor(
    db: Db,
    private readonly dependencies: {
      readonly clock: Clock;
      /** True for an environment whose data is being deleted. */
      readonly isDeleted: (environmentId: string) => boolean;
    },
  ) {
    this.documents = db.collection<DueDocument>('changeReservations');
  }

  ensureIndexes(): Promise<void> {
    return ensureIndexes(this.documents, [{ name: 'lookAt', key: { live: 1, lookAt: 1 } }]);
  }

  /** Runs `look` for each due reservation, those of live environments first. */
  async sweep(
    look: (id: string, context: CallContext) => Promise<void>,
    stopping: AbortSignal,
  ): Promise<void> {
    const { clock, isDeleted } = this.dependencies;
    const looks: PromiseSettledResult<void>[] = [];
    for (const live of [true, false]) {
      const found = (await this.due(live)).filter(({ environmentId }) => !isDeleted(environmentId));
      const looked = await Promise.allSettled(
        found.map((document) => {
          const { _id: id, updatedAt: at } = document;
          const work = { at, clock, requestId: `${id}/sweep`, stopping };
          return look(id, workContext(tenantOf(document), work));
        }),
      );
      looks.push(...looked);
    }
    const failed = looks.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  private due(live: boolean): Promise<DueDocument[]> {
    const due = { live, lookAt: { $gt: new Date(0), $lte: this.dependencies.clock.now() } };
    return retryTransient(() =>
      this.documents.find(due).sort({ lookAt: 1 }).limit(batchMax).toArray(),
    );
  }
}
