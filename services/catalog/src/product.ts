import { DomainError } from '@billing/kernel/domain-error';
import { refuseProblems, textProblems } from '@billing/kernel/input-problems';
import { type Price, priceTerms, type PriceTermsInput, priceTermsProblems } from './price';

const nameLengthMax = 200;
const descriptionLengthMax = 2000;
const lookupKeyPattern = /^[a-z0-9._-]{1,100}$/;

/** A sellable item with its current price. */
export interface Product {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Whether new checkouts and subscriptions may use it. */
  readonly active: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The caller's own name for it, unique in the environment. */
  readonly lookupKey: string | null;
  readonly price: Price;
}

/** A product as it was sent. */
export interface ProductInput extends PriceTermsInput {
  readonly name: string;
  readonly description?: string | undefined;
  /** Absent: true. */
  readonly active?: boolean | undefined;
  /** Absent: empty. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly lookupKey?: string | undefined;
}

/** What a new product is given beside its input. */
export interface ProductCreation {
  readonly id: string;
  readonly priceId: string;
  readonly now: Date;
  /** Metadata is checked alike by all services, outside their rules; its problems are reported with the others. */
  readonly metadataProblems: readonly string[];
}

/** A new product with its first price version. Refuses the input once, for everything that is wrong with it. */
export function createProduct(
  input: ProductInput,
  { id, priceId, now, metadataProblems }: ProductCreation,
): Product {
  refuseProblems({
    name: textProblems(input.name, { min: 1, max: nameLengthMax }),
    description: textProblems(input.description ?? '', { max: descriptionLengthMax }),
    ...priceTermsProblems(input),
    lookupKey: lookupKeyProblems(input.lookupKey),
    metadata: metadataProblems,
  });
  const metadata = input.metadata ?? {};
  const lookupKey = input.lookupKey ?? null;
  return {
    id,
    name: input.name,
    description: input.description ?? null,
    active: input.active ?? true,
    metadata,
    lookupKey,
    price: { id: priceId, ...priceTerms(input), metadata, lookupKey, createdAt: now },
  };
}

/** Another product of the environment has the lookup key. */
export function lookupKeyTaken(): DomainError {
  return new DomainError(
    'already_exists',
    'LOOKUP_KEY_TAKEN',
    'Product with this lookupKey already exists',
  );
}

function lookupKeyProblems(lookupKey: string | undefined): string[] {
  if (lookupKey === undefined || lookupKeyPattern.test(lookupKey)) return [];
  return ['Must be 1 to 100 characters of a-z, 0-9, ., _ and -'];
}
