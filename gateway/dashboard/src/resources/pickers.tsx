import { useState } from 'react';
import { useListed } from '../api/queries';
import { type FoundList, type PriceTerms, useFound } from '../api/search';
import { NamedFilter } from '../parts/form/filters';
import { ChoicesField } from '../parts/form/choices-field';
import { PickerButton, PickerField, PickerFilter, usePickerSearch } from '../parts/form/picker';
import { type Choice, matchingChoices } from '../parts/text/choice';
import { pluralText } from '../parts/text/text';
import { type Customer, customerName } from './customer';
import { type Discount, isUsableIn, misfitOf, termsText } from './discount';
import type { Meter } from './meter';
import { priceText, type Product } from './product';

// Fields and filters with one of many resources. They offer the newest ones, and search the others.

interface FilterProps {
  /** Id of the chosen resource; empty for all. */
  readonly value: string;
  readonly onChange: (id: string) => void;
}

const customers = { path: '/v1/customers', type: 'CUSTOMER' } as const;
const products = { path: '/dashboard/api/products', type: 'PRODUCT' } as const;
const activeDiscounts = {
  path: '/v1/discounts',
  type: 'DISCOUNT',
  query: { active: true },
} as const;
const shownProducts = 10;
const customersBy = { what: 'customers', foundBy: 'name, email or ID' } as const;

interface ProductFieldProps {
  initial: Product | undefined;
  hint?: string;
}

interface ProductChoiceProps {
  /** Terms of the products that the form can use; absent: all active ones. */
  terms?: PriceTerms;
  /** False for products that the form already has. */
  isOffered?: (product: Product) => boolean;
  /** Reason why the chosen product cannot stay. */
  problem?: string | undefined;
  onChoose?: (product: Product) => void;
}

/** Active product with its price; `initial` is chosen at first. */
export function ProductField({
  name = 'productId',
  ...props
}: ProductFieldProps & ProductChoiceProps & { name?: string }) {
  return <ProductPicker {...props} name={name} label="Product" choiceOf={productChoice} />;
}

/** Current price of an active recurring product; that of `initial` is chosen at first. */
export function PriceField(props: ProductFieldProps) {
  const choiceOf = (product: Product) => ({ ...productChoice(product), id: product.priceId });
  return (
    <ProductPicker
      {...props}
      terms={{ recurring: true }}
      name="toPriceId"
      label="New price"
      choiceOf={choiceOf}
    />
  );
}

function ProductPicker({
  initial,
  hint,
  terms,
  isOffered,
  problem,
  onChoose,
  name,
  label,
  choiceOf,
}: ProductFieldProps &
  ProductChoiceProps & {
    name: string;
    label: string;
    choiceOf: typeof productChoice;
  }) {
  const { isOpened, searched } = usePickerSearch();
  const { search } = searched;
  const found = useFound<Product>(activeProducts(terms), {
    search,
    isEnabled: isOpened,
    ...(isOffered && { isOffered }),
  });
  const choose = ({ id }: Choice) => {
    const chosen = found.data?.data.find((one) => choiceOf(one).id === id);
    if (chosen !== undefined) onChoose?.(chosen);
  };
  return (
    <PickerField
      name={name}
      label={label}
      what="products"
      {...choicesOf(found, choiceOf)}
      initial={initial && choiceOf(initial)}
      hint={hint}
      problem={problem}
      onChoose={choose}
      {...searched}
    />
  );
}

/** The newest active products of these terms, and the number of all. */
export function useSoldProducts(terms?: PriceTerms) {
  return useFound<Product>(activeProducts(terms), {});
}

function activeProducts(terms: PriceTerms = {}) {
  return { ...products, query: { active: true, ...terms } };
}

/** Several active products: check boxes of the newest ones, and a search for the others. */
export function ProductsField({
  newest,
  total,
  initial = [],
  hint,
}: {
  newest: readonly Product[];
  /** Number of all active products. */
  total: number;
  /** Products that are marked at first, also inactive ones. */
  initial?: readonly Choice[];
  hint: string;
}) {
  const [added, add] = useState(initial);
  const shown = newest.slice(0, shownProducts).map(productChoice);
  const names = new Map([...shown, ...added].map(({ id, label }) => [id, label]));
  // There is nothing to choose from.
  const marked = total === 1 && initial.length === 0 ? shown : added;
  return (
    <>
      <ChoicesField
        name="productIds"
        label="Products"
        hint={hint}
        choices={[...names.keys()]}
        labelOf={(id) => names.get(id) ?? id}
        marked={marked.map(({ id }) => id)}
      />
      {total > shown.length && (
        <AddProductButton
          label="Add another product"
          onAdd={(choice) => {
            add((before) => [...before.filter(({ id }) => id !== choice.id), choice]);
          }}
        />
      )}
    </>
  );
}

/** Button that searches active products and reports each choice. */
export function AddProductButton({
  label,
  terms,
  isOffered,
  onAdd,
}: Pick<ProductChoiceProps, 'terms' | 'isOffered'> & {
  label: string;
  onAdd: (choice: Choice) => void;
}) {
  const { isOpened, searched } = usePickerSearch();
  const { search } = searched;
  const found = useFound<Product>(activeProducts(terms), {
    search,
    isEnabled: isOpened,
    ...(isOffered && { isOffered }),
  });
  return (
    <PickerButton
      label={label}
      what="products"
      {...choicesOf(found, productChoice)}
      onChoose={onAdd}
      {...searched}
    />
  );
}

/**
 * Optional discount among the active ones; `initial` is chosen at first. With a currency, discounts
 * of an amount in another one are not offered.
 */
export function DiscountField({
  initial = null,
  hint,
  currency,
}: {
  initial?: Discount | null;
  hint?: string;
  /** Currency of what is bought, once it is known. */
  currency?: string | undefined;
}) {
  const { isOpened, searched } = usePickerSearch();
  const { search } = searched;
  const [chosen, choose] = useState(initial);
  const found = useFound<Discount>(activeDiscounts, {
    search,
    isEnabled: isOpened,
    ...(currency !== undefined && { isOffered: (one) => isUsableIn(currency, one) }),
  });
  return (
    <PickerField
      name="discountId"
      label="Discount"
      what="discounts"
      isOptional
      {...choicesOf(found, discountChoice)}
      initial={initial === null ? undefined : discountChoice(initial)}
      {...(hint !== undefined && { hint })}
      problem={chosen === null ? undefined : misfitOf(chosen, currency)}
      onChoose={({ id }) => choose(found.data?.data.find((one) => one.id === id) ?? null)}
      {...searched}
    />
  );
}

/** Customer, found by name, email, external id or id. */
export function CustomerField({
  initial = null,
  onChoose,
}: {
  initial?: Customer | null;
  onChoose?: (customer: Customer) => void;
}) {
  const { isOpened, searched } = usePickerSearch();
  const found = useFound<Customer>(customers, { search: searched.search, isEnabled: isOpened });
  return (
    <PickerField
      name="customerId"
      label="Customer"
      initial={initial ? customerChoice(initial) : undefined}
      onChoose={({ id }) => {
        const chosen = found.data?.data.find((one) => one.id === id);
        if (chosen !== undefined) onChoose?.(chosen);
      }}
      {...customersBy}
      {...choicesOf(found, customerChoice)}
      {...searched}
    />
  );
}

/** Search that opens a customer. */
export function CustomerSearch({ onChoose }: { onChoose: (id: string) => void }) {
  const { isOpened, searched } = usePickerSearch();
  return (
    <NamedFilter name="Search">
      <PickerButton
        label="Name, email or ID"
        {...customersBy}
        {...useCustomers(searched.search, isOpened)}
        onChoose={({ id }) => {
          onChoose(id);
        }}
        {...searched}
      />
    </NamedFilter>
  );
}

/** One of the meters; the first one is chosen at first. */
export function MeterField({ meters, hint }: { meters: readonly Meter[]; hint?: string }) {
  const { searched } = usePickerSearch();
  const choices = meters.map(meterChoice);
  return (
    <PickerField
      name="meterId"
      label="Meter"
      what="meters"
      {...(hint !== undefined && { hint })}
      choices={matchingChoices(choices, searched.search)}
      initial={choices[0]}
      {...searched}
    />
  );
}

/** Choice of the meter that a page shows. */
export function MeterFilter({
  meters,
  chosen,
  onChange,
}: {
  meters: readonly Meter[];
  chosen: Meter;
  onChange: (id: string) => void;
}) {
  const { searched } = usePickerSearch();
  return (
    <PickerFilter
      label="Meter"
      what="meters"
      hasAll={false}
      choices={matchingChoices(meters.map(meterChoice), searched.search)}
      selected={meterChoice(chosen)}
      {...{ onChange, ...searched }}
    />
  );
}

/** Filter by customer. */
export function CustomerFilter({ value, onChange }: FilterProps) {
  const { isOpened, searched } = usePickerSearch();
  const found = useCustomers(searched.search, isOpened);
  const { data } = useListed<Customer>(customers.path, value);
  return (
    <PickerFilter
      label="Customer"
      {...customersBy}
      selected={selectedChoice(value, data && customerName(data))}
      {...{ onChange, ...found, ...searched }}
    />
  );
}

/** Filter by product. */
export function ProductFilter({ value, onChange }: FilterProps) {
  const { isOpened, searched } = usePickerSearch();
  const { search } = searched;
  const found = useFound<Product>(products, { search, isEnabled: isOpened });
  const { data: selected } = useListed<Product>('/v1/products', value);
  return (
    <PickerFilter
      label="Product"
      what="products"
      {...choicesOf(found, productChoice)}
      selected={selectedChoice(value, selected?.name)}
      {...{ onChange, ...searched }}
    />
  );
}

/** Newest customers, or those that match the search. */
function useCustomers(search: string, isEnabled: boolean) {
  return choicesOf(useFound<Customer>(customers, { search, isEnabled }), customerChoice);
}

/** Properties of a picker that offers what was found. */
export function choicesOf<T extends { readonly id: string }>(
  { data, progress, refetch }: FoundList<T>,
  choiceOf: (one: T) => Choice,
) {
  return {
    choices: (data?.data ?? []).map(choiceOf),
    progress,
    onRetry: () => void refetch(),
  };
}

/** The chosen resource; its id until the name is known. */
function selectedChoice(id: string, label: string | null | undefined): Choice | undefined {
  return id === '' ? undefined : { id, label: label ?? id };
}

function productChoice(product: Product): Choice {
  const { id, name, trialDays } = product;
  const trial =
    trialDays === null || trialDays === 0 ? '' : `, ${pluralText(trialDays, 'day')} free`;
  return { id, label: name, detail: `${priceText(product)}${trial}` };
}

function customerChoice(customer: Customer): Choice {
  return {
    id: customer.id,
    label: customerName(customer),
    detail: customer.name === null ? (customer.externalId ?? undefined) : customer.email,
  };
}

function discountChoice(discount: Discount): Choice {
  return { id: discount.id, label: discount.name, detail: termsText(discount) };
}

function meterChoice({ id, name, unit }: Meter): Choice {
  return { id, label: `${name}${unit === null ? '' : ` (${unit})`}` };
}
