import { Plus, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '../../parts/element/buttons';
import { CellField, FieldProblem } from '../../parts/form/form';
import { categoryLengthMax, TaxCategoryList } from '../../resources/tax/tax-category';
import { emptyLine, lineField, type LineRow } from './invoice-values';

const linesMax = 100;

/** Table of the lines of a one-off invoice. */
export function LineTable({
  rows,
  amountLines = [],
}: {
  rows: readonly LineRow[];
  /** Ids of the lines that have an amount and no price of a unit. */
  amountLines?: readonly string[];
}) {
  const [shown, setShown] = useState(() => rows.map((row, key) => ({ ...row, key })));
  const [nextKey, setNextKey] = useState(rows.length);
  const categories = useId();
  const add = () => {
    setShown([...shown, { ...emptyLine, key: nextKey }]);
    setNextKey(nextKey + 1);
  };
  return (
    <fieldset className="tier-table line-table">
      <legend>Lines</legend>
      <div className="table">
        <div className="table-scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Description</th>
                <th scope="col">Quantity</th>
                <th scope="col">Unit price</th>
                <th scope="col">Tax category</th>
                <th scope="col">
                  <span className="unseen">Remove</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map(({ key, ...row }, index) => (
                <LineCells
                  key={key}
                  {...{ row, index, categories }}
                  isAmount={amountLines.includes(row.source)}
                  isOnly={shown.length === 1}
                  onRemove={() => setShown(shown.filter((one) => one.key !== key))}
                />
              ))}
            </tbody>
          </table>
        </div>
      </div>
      <TaxCategoryList id={categories} />
      <FieldProblem name="lines" />
      {shown.length < linesMax && (
        <Button onClick={add}>
          <Plus aria-hidden="true" />
          Add line
        </Button>
      )}
    </fieldset>
  );
}

function LineCells({
  row,
  index,
  categories,
  isAmount,
  isOnly,
  onRemove,
}: {
  row: LineRow;
  index: number;
  /** Id of the list of tax categories. */
  categories: string;
  isAmount: boolean;
  isOnly: boolean;
  onRemove: () => void;
}) {
  const what = `Line ${String(index + 1)}`;
  const number = { inputMode: 'decimal', autoComplete: 'off' } as const;
  return (
    <tr>
      <td data-title="Description">
        <input type="hidden" name={lineField(index, 'source')} value={row.source} />
        <CellField
          name={lineField(index, 'description')}
          label={`${what}: description`}
          maxLength={500}
          defaultValue={row.description}
        />
      </td>
      <td data-title="Quantity">
        <CellField
          name={lineField(index, 'quantity')}
          label={`${what}: quantity`}
          {...number}
          defaultValue={row.quantity}
        />
      </td>
      <td data-title="Unit price">
        <CellField
          name={lineField(index, 'unitAmount')}
          label={isAmount ? `${what}: amount` : `${what}: unit price`}
          {...number}
          defaultValue={row.unitAmount}
        />
        {isAmount && <span className="faint">Whole line</span>}
      </td>
      <td data-title="Tax category">
        <CellField
          name={lineField(index, 'taxCategory')}
          label={`${what}: tax category`}
          list={categories}
          autoComplete="off"
          maxLength={categoryLengthMax}
          placeholder="standard"
          defaultValue={row.taxCategory}
        />
      </td>
      <td data-title="">
        {!isOnly && (
          <Button tone="plain" aria-label={`Remove line ${String(index + 1)}`} onClick={onRemove}>
            <Trash2 aria-hidden="true" />
          </Button>
        )}
      </td>
    </tr>
  );
}
