import { useListed, useListedAll } from '../../api/queries';
import { useFound } from '../../api/search';
import { PickerFilter, usePickerSearch } from '../../parts/form/picker';
import { choicesOf } from '../../resources/pickers';
import type { Product } from '../../resources/product';
import type { Subscription } from '../../resources/subscription';
import { chosenSubscription, subscriptionChoice } from './subscription-choice';

const path = '/v1/subscriptions';

/** Filter by subscription; offers those of the customer, if one is chosen. */
export function SubscriptionFilter({
  value,
  onChange,
  customerId,
}: {
  /** Id of the chosen subscription; empty for all. */
  value: string;
  onChange: (id: string) => void;
  /** Empty for those of all customers. */
  customerId: string;
}) {
  const { isOpened, searched } = usePickerSearch();
  const { search } = searched;
  const found = useFound<Subscription>(
    { path, type: 'SUBSCRIPTION', query: { customerId } },
    { search, isEnabled: isOpened },
  );
  const { data: chosen } = useListed<Subscription>(path, value);
  const names = useProductNames([...(found.data?.data ?? []), ...(chosen ? [chosen] : [])]);
  return (
    <PickerFilter
      label="Subscription"
      what="subscriptions"
      foundBy="product or ID"
      {...choicesOf(found, (one) => subscriptionChoice(one, names))}
      selected={chosenSubscription(value, chosen, names)}
      {...{ onChange, ...searched }}
    />
  );
}

/** Names of the products of subscriptions, by id. */
function useProductNames(subscriptions: readonly Subscription[]): ReadonlyMap<string, string> {
  const ids = [...new Set(subscriptions.map(({ productId }) => productId))];
  const products = useListedAll<Product>('/v1/products', ids);
  return new Map(products.map(({ id, name }) => [id, name]));
}
