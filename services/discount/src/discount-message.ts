import type { Stored } from '@billing/chassis/aggregate';
import { isId } from '@billing/chassis/ids';
import { expectedVersionOf, maskedFields } from '@billing/chassis/request-fields';
import { parseCurrency } from '@billing/kernel/currency';
import { invalidInput } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import {
  type QuoteRedemptionRequest,
  type CreateDiscountRequest,
  type Discount as ProtoDiscount,
  RedemptionHolder as ProtoRedemptionHolder,
  type ReserveRedemptionRequest,
  type UpdateDiscountRequest,
} from '@billing/proto/billing/discount/v1/discount';
import { discountDurations, discountTypes } from '@billing/proto/values/discount';
import type { Discount, DiscountChanges, DiscountInput } from './discount';
import type { RedemptionQuestion, Reservation } from './reserve-redemption';
import type { ChangeRound, CodeRound, HolderKind } from './slot-document';
import type { DiscountUpdate } from './update-discount';

export function fromProtoDiscountInput(request: CreateDiscountRequest): DiscountInput {
  return {
    ...request,
    type: discountTypes.sentName(request.type),
    duration: discountDurations.sentName(request.duration),
  };
}

export function fromProtoUpdate(request: UpdateDiscountRequest): DiscountUpdate {
  const changes = fromProtoDiscountChanges(request);
  return { id: request.id, changes, ...expectedVersionOf(request) };
}

function fromProtoDiscountChanges(request: UpdateDiscountRequest): DiscountChanges {
  const { name, active, endsAt, maxRedemptions, metadata } = request;
  const fields = {
    name: name ?? null,
    active: active ?? null,
    endsAt: endsAt ?? null,
    maxRedemptions: maxRedemptions ?? null,
    metadata: metadata ?? null,
  };
  return maskedFields(fields, request.updateMask);
}

export function toProtoDiscount(
  { state, ...stored }: Stored<Discount>,
  redemptionCount: number,
): ProtoDiscount {
  return {
    id: state.id,
    organizationId: stored.tenant.organizationId,
    name: state.name,
    code: state.code ?? undefined,
    type: discountTypes.valueOf(state.type),
    value: state.value,
    currency: state.currency ?? undefined,
    duration: discountDurations.valueOf(state.duration),
    durationInMonths: state.durationInMonths ?? undefined,
    maxRedemptions: state.maxRedemptions ?? undefined,
    redemptionCount,
    startsAt: state.startsAt ?? undefined,
    endsAt: state.endsAt ?? undefined,
    productIds: [...state.productIds],
    active: state.active,
    metadata: state.metadata,
    createdAt: stored.createdAt,
    updatedAt: stored.updatedAt,
    version: BigInt(stored.version),
  };
}

export function fromProtoReservation(request: ReserveRedemptionRequest): Reservation {
  const { discountId, holderId: id } = request;
  const currency = parseCurrency(request.currency);
  const kind = fromProtoHolder(request);
  const productIds = productIdsOf(request);
  const change = fromProtoRound(kind, request);
  const code = fromProtoCode(kind, request);
  return { discountId, kind, id, change, code, productIds, currency };
}

/** Maps a question; a holder that is not named has no redemption. */
export function fromProtoQuestion(request: QuoteRedemptionRequest): RedemptionQuestion {
  const { discountId, holderId } = request;
  const productIds = productIdsOf(request);
  return { discountId, holderId, productIds, currency: parseCurrency(request.currency) };
}

function productIdsOf({
  productId,
  otherProductIds,
}: Pick<QuoteRedemptionRequest, 'productId' | 'otherProductIds'>): string[] {
  return [productId, ...otherProductIds];
}

function fromProtoRound(
  kind: HolderKind,
  { change }: ReserveRedemptionRequest,
): ChangeRound | null {
  if (kind !== 'SUBSCRIPTION_CHANGE') return null;
  if (change === undefined) throw invalidInput({ change: ['Required'] });
  const { subscriptionId, changeId, round } = change;
  return { subscriptionId, changeId, round };
}

function fromProtoCode(
  kind: HolderKind,
  { sessionCode }: ReserveRedemptionRequest,
): CodeRound | null {
  if (kind !== 'SESSION_CODE') return null;
  if (sessionCode === undefined) throw invalidInput({ sessionCode: ['Required'] });
  const { sessionId, round } = sessionCode;
  return { sessionId, round };
}

function fromProtoHolder({ holder, holderId }: ReserveRedemptionRequest): HolderKind {
  const kind = holderKinds.get(holder);
  refuseProblems({
    holder: kind === undefined ? ['Invalid holder'] : [],
    holderId: isId(holderId) ? [] : ['Invalid uuid'],
  });
  if (kind === undefined) throw new Error('Unvalidated holder');
  return kind;
}

const holderKinds: ReadonlyMap<ProtoRedemptionHolder, HolderKind> = new Map([
  [ProtoRedemptionHolder.REDEMPTION_HOLDER_CHECKOUT_SESSION, 'CHECKOUT_SESSION'],
  [ProtoRedemptionHolder.REDEMPTION_HOLDER_SUBSCRIPTION, 'SUBSCRIPTION'],
  [ProtoRedemptionHolder.REDEMPTION_HOLDER_SUBSCRIPTION_CHANGE, 'SUBSCRIPTION_CHANGE'],
  [ProtoRedemptionHolder.REDEMPTION_HOLDER_SESSION_CODE, 'SESSION_CODE'],
]);
