import {
  type ChangeInput as ProtoInput,
  type CreateChangeRequest,
} from '@billing/proto/billing/subscription/v1/change_service';
import type { CancelSubscriptionRequest } from '@billing/proto/billing/subscription/v1/subscription';
import { invalidInput } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import { namedItemProblems } from '@billing/kernel/purchase-items';
import { subscriptionProblems } from '@billing/kernel/input/subscription';
import {
  changeAts,
  changeCollects,
  changeKinds,
  changeProrations,
} from '@billing/proto/values/subscription';
import { checkMetadata } from '@billing/chassis/request-fields';
import type { CancellationInput } from './describe-cancellation';
import type { ChangeInput } from './read-wanted-change';

/** Reads what a call asks for; refuses invalid fields. */
export function fromProtoChangeInput(
  input: ProtoInput | undefined,
  { metadata, now }: { readonly metadata: CreateChangeRequest['metadata']; readonly now: Date },
): ChangeInput {
  if (input === undefined) throw invalidInput({ change: ['Required'] });
  const { productId, priceId, quantity, discount } = input;
  refuseProblems({
    ...subscriptionProblems({ quantity }, { now }),
    items: input.ofItems ? listProblems(input.otherItems) : [],
    metadata: checkMetadata(metadata),
  });
  const kind = changeKinds.knownName(input.kind) ?? 'UPDATE';
  const isList = input.ofItems && input.otherItems.length > 0;
  const isNamed =
    isList || [productId, priceId, quantity, discount].some((field) => field !== undefined);
  if (kind === 'UPDATE' && !isNamed) {
    throw invalidInput({ items: ['Required'] });
  }
  if (productId !== undefined && priceId !== undefined) {
    const problem = 'Not together with productId';
    throw invalidInput(
      input.ofItems ? { items: [`0.priceId: ${problem}`] } : { priceId: [problem] },
    );
  }
  return {
    productId: productId ?? null,
    priceId: priceId ?? null,
    quantity: quantity ?? null,
    discountId: kind !== 'UPDATE' || discount === undefined ? undefined : (discount.id ?? null),
    otherItems: input.ofItems ? input.otherItems : null,
    at: changeAts.knownName(input.at) ?? 'AUTO',
    ...(input.notBefore !== undefined && { notBefore: input.notBefore }),
    requirePayment: input.requirePayment ?? true,
    kind,
    resumeAt: input.resumeAt ?? null,
    proration:
      changeProrations.knownName(input.proration) ?? (kind === 'PAUSE' ? 'NONE' : 'PRORATE'),
    collect:
      (input.collect === undefined ? undefined : changeCollects.knownName(input.collect)) ?? 'NOW',
    metadata: metadata ?? {},
  };
}

/** Problems of a list; the fields of its first element are checked alone. */
function listProblems(others: ProtoInput['otherItems']): string[] {
  const twice = others.flatMap(({ productId, priceId }, index) =>
    productId !== undefined && priceId !== undefined
      ? [`${String(index + 1)}.priceId: Not together with productId`]
      : [],
  );
  return [...namedItemProblems([{ productId: '' }, ...others]), ...twice];
}

/** Reads how an end is asked for; without a proration nothing is given back. */
export function fromProtoCancellation({
  atPeriodEnd,
  proration: sent,
}: Pick<CancelSubscriptionRequest, 'atPeriodEnd' | 'proration'>): CancellationInput {
  const proration = (sent === undefined ? undefined : changeProrations.knownName(sent)) ?? 'NONE';
  if (proration === 'FULL_AND_RESET')
    throw invalidInput({ proration: ['Must be NONE or PRORATE'] });
  return { atPeriodEnd, proration };
}
