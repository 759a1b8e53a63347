import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useListed } from '../api/queries';
import type { PriceTerms } from '../api/search';
import { Button } from '../parts/element/buttons';
import { FieldProblem } from '../parts/form/form';
import { ActiveBadge } from '../parts/resource/active';
import { AddProductButton } from './pickers';
import { priceText, type Product } from './product';

/** Several products, each with its price, which are found by search. */
export function ProductListField({
  name,
  label,
  hint,
  initial,
  productsMax,
  terms,
}: {
  name: string;
  label: string;
  hint: string;
  /** Ids of the products that are chosen at first. */
  initial: readonly string[];
  productsMax: number;
  /** Terms of the products that can be added. */
  terms: PriceTerms;
}) {
  const [ids, setIds] = useState(initial);
  return (
    <fieldset className="chosen">
      <legend>{label}</legend>
      <p className="faint">{hint}</p>
      {ids.length > 0 && (
        <ul>
          {ids.map((id) => (
            <ChosenProduct
              key={id}
              {...{ name, id }}
              onRemove={() => setIds(ids.filter((one) => one !== id))}
            />
          ))}
        </ul>
      )}
      <FieldProblem name={name} />
      {ids.length < productsMax && (
        <AddProductButton
          label="Add product"
          terms={terms}
          isOffered={({ id }) => !ids.includes(id)}
          onAdd={({ id }) => setIds([...ids.filter((one) => one !== id), id])}
        />
      )}
    </fieldset>
  );
}

function ChosenProduct({ name, id, onRemove }: { name: string; id: string; onRemove: () => void }) {
  const { data: product } = useListed<Product>('/v1/products', id);
  const title = product?.name ?? id;
  return (
    <li>
      <input type="hidden" name={name} value={id} />
      <span className="picker-choice">
        <span>
          {title} {product?.active === false && <ActiveBadge active={false} />}
        </span>
        {product && <span className="faint">{priceText(product)}</span>}
      </span>
      <Button tone="plain" aria-label={`Remove ${title}`} onClick={onRemove}>
        <Trash2 aria-hidden="true" />
      </Button>
    </li>
  );
}
