import { Plus, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { itemsMax } from '@billing/kernel/purchase-items';
import { Button } from '../../parts/element/buttons';
import { FieldProblem, TextField } from '../../parts/form/form';
import { ProductField } from '../pickers';
import type { Product } from '../product';
import {
  termsOfOthers,
  itemField,
  itemsOf,
  misfitText,
  type WantedItem,
  type WantedItems,
} from './items';

interface Row {
  readonly key: number;
  readonly quantity: WantedItem['quantity'];
  /** The chosen one. */
  readonly product: Product | undefined;
}

/**
 * Product and quantity of each item of a subscription. Items can be added, and all but the first
 * removed. The fields of the only item of a subscription have names of their own. The first item
 * decides which products the others can have.
 */
export function ItemFields({
  wanted,
  products,
  currency,
  onFirst,
}: {
  readonly wanted: WantedItems;
  /** The products of the items. */
  readonly products: readonly Product[];
  /** Currency of all items; absent: that of the first one. */
  readonly currency?: string;
  /** Called with the product that was chosen for the first item. */
  readonly onFirst?: (product: Product) => void;
}) {
  const [rows, setRows] = useState<readonly Row[]>(() =>
    itemsOf(wanted).map(({ productId, quantity }, key) => ({
      key,
      quantity,
      product: products.find(({ id }) => id === productId),
    })),
  );
  const [nextKey, setNextKey] = useState(rows.length);
  const add = useRef<HTMLButtonElement>(null);
  const isList = 'items' in wanted || rows.length > 1;
  const [main] = rows;
  return (
    <>
      {rows.map(({ key, ...row }, index) => (
        <fieldset key={key} ref={key >= itemsOf(wanted).length ? focusFirstField : undefined}>
          {isList && <legend>Item {index + 1}</legend>}
          <ItemField
            {...row}
            terms={{ currency, ...(index > 0 && termsOfOthers(main?.product)) }}
            problem={index > 0 ? misfitText(row.product, main?.product) : undefined}
            others={rows.filter((other) => other.key !== key).map(({ product }) => product?.id)}
            onChoose={(product) => {
              setRows(rows.map((one) => (one.key === key ? { ...one, product } : one)));
              if (index === 0) onFirst?.(product);
            }}
            nameOf={(field) => (isList ? itemField(index, field) : field)}
          />
          {index > 0 && (
            <RemoveButton
              number={index + 1}
              onClick={() => {
                add.current?.focus();
                setRows(rows.filter((other) => other.key !== key));
              }}
            />
          )}
        </fieldset>
      ))}
      <FieldProblem name="items" />
      <div className="actions">
        <Button
          ref={add}
          refusal={rows.length === itemsMax ? `At most ${String(itemsMax)} items` : undefined}
          onClick={() => {
            setRows([...rows, { key: nextKey, quantity: 1, product: undefined }]);
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

function RemoveButton({ number, onClick }: { number: number; onClick: () => void }) {
  return (
    <div className="actions">
      <Button tone="plain" aria-label={`Remove item ${String(number)}`} onClick={onClick}>
        <Trash2 aria-hidden="true" />
        Remove
      </Button>
    </div>
  );
}

/** Moves the focus to an item that was just added. */
function focusFirstField(fieldset: HTMLFieldSetElement | null): void {
  fieldset?.querySelector<HTMLElement>('.picker')?.focus();
}

function ItemField({
  product,
  quantity,
  terms,
  problem,
  others,
  onChoose,
  nameOf,
}: Omit<Row, 'key'> & {
  /** Terms of the products that can be chosen. */
  readonly terms: Parameters<typeof ProductField>[0]['terms'];
  /** Reason why the chosen product cannot stay. */
  readonly problem: string | undefined;
  /** Products of the other items; each product can be one item. */
  readonly others: readonly (string | undefined)[];
  readonly onChoose: (product: Product) => void;
  readonly nameOf: (field: keyof WantedItem) => string;
}) {
  return (
    <>
      <ProductField
        name={nameOf('productId')}
        initial={product}
        terms={{ ...terms, recurring: true }}
        isOffered={({ id }) => !others.includes(id)}
        {...{ problem, onChoose }}
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
