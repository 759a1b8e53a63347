import { Plus, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '../../parts/element/buttons';
import { FieldProblem, TextField } from '../../parts/form/form';
import { ProductField } from '../../resources/pickers';
import type { Product } from '../../resources/product';
import { itemField, itemsMax, itemsOf, type WantedChange, type WantedItem } from './plan-change';

const newItem: WantedItem = { productId: '', quantity: 1 };

interface Row {
  readonly key: number;
  readonly item: WantedItem;
}

interface Offer {
  /** The products of the items. */
  readonly products: readonly Product[];
  readonly isOffered: (product: Product) => boolean;
}

/**
 * Product and quantity of each item of a plan change. Items can be added, and all but the first
 * removed. The fields of the only item of a subscription have names of their own.
 */
export function ItemFields({ wanted, ...offer }: Offer & { readonly wanted: WantedChange }) {
  const [rows, setRows] = useState<readonly Row[]>(() =>
    itemsOf(wanted).map((item, key) => ({ key, item })),
  );
  const [nextKey, setNextKey] = useState(rows.length);
  const add = useRef<HTMLButtonElement>(null);
  const isList = 'items' in wanted || rows.length > 1;
  return (
    <>
      {rows.map(({ key, item }, index) => (
        <fieldset key={key} ref={key >= itemsOf(wanted).length ? focusFirstField : undefined}>
          {isList && <legend>Item {index + 1}</legend>}
          <ItemField
            {...offer}
            item={item}
            nameOf={(field) => (isList ? itemField(index, field) : field)}
          />
          {index > 0 && (
            <div className="actions">
              <Button
                tone="plain"
                aria-label={`Remove item ${String(index + 1)}`}
                onClick={() => {
                  add.current?.focus();
                  setRows(rows.filter((row) => row.key !== key));
                }}
              >
                <Trash2 aria-hidden="true" />
                Remove
              </Button>
            </div>
          )}
        </fieldset>
      ))}
      <FieldProblem name="items" />
      <div className="actions">
        <Button
          ref={add}
          refusal={rows.length === itemsMax ? `At most ${String(itemsMax)} items` : undefined}
          onClick={() => {
            setRows([...rows, { key: nextKey, item: newItem }]);
            setNextKey(nextKey + 1);
          }}
        >
          <Plus aria-hidden="true" />
          Add item
        </Button>
      </div>
    </>
  );
}

/** Moves the focus to an item that was just added. */
function focusFirstField(fieldset: HTMLFieldSetElement | null): void {
  fieldset?.querySelector<HTMLElement>('.picker')?.focus();
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
