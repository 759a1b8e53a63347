import { changeInstantProblems, resumeProblems } from '@billing/kernel/input/subscription';
import { type InputProblems, optionalProblems } from '@billing/kernel/input-problems';
import { namedItemProblems } from '@billing/kernel/purchase-items';
import { isSent, sentElement, type Sound } from '../../input/field-rules';
import { namedItems } from '../../input/purchase-items';
import type { ChangeBody } from './subscription-changes';

type Sent = Readonly<Record<string, unknown>>;
type Kind = NonNullable<ChangeBody['kind']>;

const ofAll: readonly string[] = ['kind', 'metadata', 'previewToken'];
const fieldsOf: Readonly<Record<Kind, readonly string[]>> = {
  UPDATE: [
    ...['productId', 'priceId', 'quantity', 'items', 'discountId', 'at'],
    ...['proration', 'collect', 'requirePayment'],
  ],
  PAUSE: ['at', 'proration', 'resumeAt'],
  RESUME: ['requirePayment'],
};
const notTogether = 'Not together with productId';

/** Problems of the fields of a change that do not depend on the time. */
export function changeProblems(fields: Sound<ChangeBody>, sent: Sent): InputProblems {
  const { productId, priceId } = fields;
  // The rules of an invalid kind are unknown.
  const isKindInvalid = fields.kind === undefined && isSent(sent.kind);
  const kind = isKindInvalid ? undefined : (fields.kind ?? 'UPDATE');
  return {
    priceId: productId !== undefined && priceId !== undefined ? [notTogether] : [],
    items: itemsProblems(fields, { sent, isRequired: kind === 'UPDATE' }),
    ...(kind !== undefined && otherFieldProblems(fields, kind)),
  };
}

/** Problems of the instants of a change; `now` is the environment's time. */
export function instantProblems(
  { at, resumeAt }: Sound<ChangeBody>,
  { now }: { readonly now: Date },
): InputProblems {
  const instant = at instanceof Date ? at : undefined;
  return {
    at: optionalProblems(instant, (time) => changeInstantProblems(time, now)),
    resumeAt: optionalProblems(resumeAt, (time) => resumeProblems(time, { begin: now, now })),
  };
}

/** Problems of fields, and of values of them, that a change of this kind does not have. */
function otherFieldProblems(fields: Sound<ChangeBody>, kind: Kind): InputProblems {
  const { at, proration } = fields;
  const known = [...ofAll, ...fieldsOf[kind]];
  const others = Object.entries<unknown>(fields)
    .filter(([field, value]) => value !== undefined && !known.includes(field))
    .map(([field]) => field);
  if (kind === 'PAUSE' && at === 'AUTO') others.push('at');
  if (kind === 'PAUSE' && proration === 'FULL_AND_RESET') others.push('proration');
  return Object.fromEntries(others.map((field) => [field, ['Not with this kind']]));
}

function itemsProblems(
  { items }: Sound<ChangeBody>,
  { sent, isRequired }: { readonly sent: Sent; readonly isRequired: boolean },
): string[] {
  const isNamed = [sent.productId, sent.priceId, sent.quantity].some(isSent);
  const isTwice = isNamed && isSent(sent.items);
  const twice = isTwice ? ['Not together with productId, priceId or quantity'] : [];
  const isOther = isNamed || sent.discountId !== undefined;
  if (items === undefined) {
    return isRequired && !isOther && !isSent(sent.items) ? ['Required'] : twice;
  }
  const [main, ...others] = namedItems(items, sent.items);
  // The main item keeps the product that it does not name.
  const isEmpty = items.length === 1 && !isElementFilled(sent.items);
  if (isEmpty && isRequired && !isOther) return ['Required'];
  return [
    ...twice,
    ...namedItemProblems([{ ...main, productId: '' }, ...others]),
    ...items.flatMap(({ productId, priceId }, index) =>
      productId === undefined || priceId === undefined
        ? []
        : [`${String(index)}.priceId: ${notTogether}`],
    ),
  ];
}

// A first element that is no object has its own problem.
function isElementFilled(sent: unknown): boolean {
  const first: unknown = Array.isArray(sent) ? sent[0] : undefined;
  if (typeof first !== 'object' || first === null) return true;
  return Object.values(sentElement(sent, 0)).some(isSent);
}
