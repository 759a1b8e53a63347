import type { ReactNode } from 'react';
import type { Page } from '../../api/client';
import { useListed, useResource } from '../../api/queries';
import { Answer } from '../../parts/element/notices';
import type { Customer } from '../customer';
import type { Discount } from '../discount';
import type { Product } from '../product';
import { itemsOf, type WantedItems } from './items';

// Read what a form has chosen before its fields appear.

interface ChosenProps<T> {
  /** Empty: nothing is chosen, and the form gets null. */
  readonly id: string;
  readonly children: (chosen: T | null) => ReactNode;
}

/** Reads the discount that a form has chosen. */
export function ChosenDiscount({ id, children }: ChosenProps<Discount>) {
  const discount = useListed<Discount>('/v1/discounts', id);
  if (id === '') return children(null);
  return (
    <Answer of={discount} what="discount">
      {children}
    </Answer>
  );
}

/** Reads the customer that a form has chosen. */
export function ChosenCustomer({ id, children }: ChosenProps<Customer>) {
  const customer = useListed<Customer>('/v1/customers', id);
  if (id === '') return children(null);
  return (
    <Answer of={customer} what="customer">
      {children}
    </Answer>
  );
}

/** Reads the products of wanted items. */
export function ChosenProducts({
  wanted,
  children,
}: {
  wanted: WantedItems;
  children: (products: readonly Product[]) => ReactNode;
}) {
  const ids = itemsOf(wanted).map(({ productId }) => productId);
  const query = { ids: [...new Set(ids)].join(','), perPage: ids.length };
  const chosen = useResource<Page<Product>>('/v1/products', { query });
  return (
    <Answer of={chosen} what="products">
      {({ data }) => children(data)}
    </Answer>
  );
}
