import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../parts/element/buttons';
import { FieldProblem, TextField } from '../../parts/form/form';
import { ProductField } from '../../resources/pickers';
import type { Product } from '../../resources/product';
import { itemField, itemsOf, type WantedChange, type WantedItem } from './plan-change';

interface Offer {
  /** The products of the items. */
  readonly products: readonly Product[];
  readonly isOffered: (product: Product) => boolean;
}

/** Product and quantity of each item of a plan change. All but the first can be removed. */
export function ItemFields({ wanted, ...offer }: Offer & { readonly wanted: WantedChange }) {
  const [rows, setRows] = useState(() => itemsOf(wanted).map((item, key) => ({ key, item })));
  if (!('items' in wanted)) {
    return <ItemField {...offer} item={wanted} nameOf={(field) => field} />;
  }
  return (
    <>
      {rows.map(({ key, item }, index) => (
        <fieldset key={key}>
          <legend>Item {index + 1}</legend>
          <ItemField {...offer} item={item} nameOf={(field) => itemField(index, field)} />
          {index > 0 && (
            <div className="actions">
              <Button
                tone="plain"
                aria-label={`Remove item ${String(index + 1)}`}
                onClick={() => setRows(rows.filter((row) => row.key !== key))}
              >
                <Trash2 aria-hidden="true" />
                Remove
              </Button>
            </div>
          )}
        </fieldset>
      ))}
      <FieldProblem name="items" />
    </>
  );
}

function ItemField({
  item: { productId, quantity },
  products,
  isOffered,
  nameOf,
}: Offer & {
  readonly item: WantedItem;
  readonly nameOf: (field: keyof WantedItem) => string;
}) {
  return (
    <>
      <ProductField
        name={nameOf('productId')}
        initial={products.find(({ id }) => id === productId)}
        isOffered={isOffered}
      />
      <TextField
        name={nameOf('quantity')}
        label="Quantity"
        inputMode="numeric"
        autoComplete="off"
        defaultValue={String(quantity)}
      />
    </>
  );
}
