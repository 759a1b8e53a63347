import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../parts/element/buttons';
import { CellField, FieldProblem } from '../../parts/form/form';
import { type TaxId, taxIdField, taxIdsMax, taxIdTypes } from './tax-ids';

interface KeyedTaxId extends TaxId {
  readonly key: number;
}

/** Up to five tax ids. */
export function TaxIdsField({ taxIds }: { taxIds: readonly TaxId[] }) {
  const [rows, setRows] = useState<readonly KeyedTaxId[]>(() =>
    taxIds.map((taxId, key) => ({ ...taxId, key })),
  );
  const [nextKey, setNextKey] = useState(taxIds.length);
  const add = () => {
    setRows([...rows, { type: 'EU_VAT', value: '', key: nextKey }]);
    setNextKey(nextKey + 1);
  };
  return (
    <fieldset className="tax-ids">
      <legend>Tax ids</legend>
      {rows.map(({ key, type, value }, index) => {
        const what = `Tax id ${String(index + 1)}`;
        return (
          <div key={key}>
            <select
              name={taxIdField(index, 'type')}
              aria-label={`${what}: type`}
              defaultValue={type}
            >
              {taxIdTypes.map(([choice, text]) => (
                <option key={choice} value={choice}>
                  {text}
                </option>
              ))}
            </select>
            <div>
              <CellField name={taxIdField(index, 'value')} label={what} defaultValue={value} />
            </div>
            <Button
              tone="plain"
              aria-label={`Remove tax id ${String(index + 1)}`}
              onClick={() => setRows(rows.filter((row) => row.key !== key))}
            >
              <Trash2 aria-hidden="true" />
            </Button>
          </div>
        );
      })}
      <FieldProblem name="taxIds" />
      {rows.length < taxIdsMax && (
        <Button onClick={add}>
          <Plus aria-hidden="true" />
          Add tax id
        </Button>
      )}
    </fieldset>
  );
}
