import type { Page } from '../api/client';
import { useChoices, useListed, useResource } from '../api/queries';
import { PickerField, PickerFilter, usePickerSearch } from '../parts/form/picker';
import { type Choice, matchingChoices } from '../parts/text/choice';
import { pluralText } from '../parts/text/text';
import { type Customer, customerName } from './customer';
import { type Discount, termsText } from './discount';
import { customerQuery } from './new-subscription';
import { priceText, type Product } from './product';

// Fields and filters with one of many resources.

interface FilterProps {
  /** Id of the chosen resource; empty for all. */
  readonly value: string;
  readonly onChange: (id: string) => void;
}

const shownCustomers = 20;

/** Product with its price; the first one is chosen at first. */
export function ProductField({ products }: { products: readonly Product[] }) {
  const { searched } = usePickerSearch();
  const choices = products.map(productChoice);
  return (
    <PickerField
      name="productId"
      label="Product"
      what="products"
      choices={matchingChoices(choices, searched.search)}
      initial={choices[0]}
      {...searched}
    />
  );
}

/** Optional discount among the active ones. */
export function DiscountField() {
  const { isOpened, searched } = usePickerSearch();
  const { data = [] } = useChoices<Discount>('/v1/discounts', { active: true }, isOpened);
  return (
    <PickerField
      name="discountId"
      label="Discount"
      what="discounts"
      isOptional
      choices={matchingChoices(data.map(discountChoice), searched.search)}
      {...searched}
    />
  );
}

/** Customer, found by email, external id or id. */
export function CustomerField() {
  const { isOpened, searched } = usePickerSearch();
  return (
    <PickerField
      name="customerId"
      label="Customer"
      what="customers by email, external ID or ID"
      choices={useCustomers(searched.search, isOpened)}
      {...searched}
    />
  );
}

/** Filter by customer. */
export function CustomerFilter({ value, onChange }: FilterProps) {
  const { isOpened, searched } = usePickerSearch();
  const choices = useCustomers(searched.search, isOpened);
  const { data } = useListed<Customer>('/v1/customers', value);
  return (
    <PickerFilter
      label="Customer"
      what="customers by email, external ID or ID"
      selected={selectedChoice(value, data && customerName(data))}
      {...{ choices, onChange, ...searched }}
    />
  );
}

/** Filter by product. */
export function ProductFilter({ value, onChange }: FilterProps) {
  const { isOpened, searched } = usePickerSearch();
  const { data = [] } = useChoices<Product>('/v1/products', {}, isOpened);
  const { data: selected } = useListed<Product>('/v1/products', value);
  return (
    <PickerFilter
      label="Product"
      what="products"
      choices={matchingChoices(data.map(productChoice), searched.search)}
      selected={selectedChoice(value, selected?.name)}
      {...{ onChange, ...searched }}
    />
  );
}

/** Newest customers, or those that the search names. */
function useCustomers(search: string, isEnabled: boolean): readonly Choice[] {
  const text = search.trim();
  const named = text === '' ? {} : (customerQuery(text) ?? { ids: text });
  const query = { ...named, perPage: shownCustomers };
  const { data } = useResource<Page<Customer>>('/v1/customers', { query, isEnabled });
  return (data?.data ?? []).map((customer) => ({
    id: customer.id,
    label: customerName(customer),
    detail: customer.name === null ? (customer.externalId ?? undefined) : customer.email,
  }));
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

function discountChoice(discount: Discount): Choice {
  return { id: discount.id, label: discount.name, detail: termsText(discount) };
}
