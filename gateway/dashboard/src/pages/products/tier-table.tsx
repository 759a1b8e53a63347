import { Plus, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../parts/element/buttons';
import { CellField, FieldProblem } from '../../parts/form/form';
import { tierField, type TierRow } from './tier-values';

interface KeyedRow extends TierRow {
  readonly key: number;
}

/**
 * Table of tiers: bounds, price per unit and flat fee, in major units. The form does not send a
 * table that is not shown.
 */
export function TierTable({
  rows,
  currency,
  isShown = true,
}: {
  rows: readonly TierRow[];
  currency: string;
  isShown?: boolean;
}) {
  const ref = useRef<HTMLFieldSetElement>(null);
  const [shown, setShown] = useState<readonly KeyedRow[]>(() =>
    rows.map((row, key) => ({ ...row, key })),
  );
  const [nextKey, setNextKey] = useState(rows.length);
  // A preview reads the form after each input; a row that comes or goes is no input of the browser.
  useEffect(() => {
    ref.current?.dispatchEvent(new Event('input', { bubbles: true }));
  }, [shown, isShown]);
  const add = () => {
    const last = shown.at(-1);
    const row = { upTo: '', unitAmount: last?.unitAmount ?? '', flatAmount: '', key: nextKey };
    setShown([...shown.slice(0, -1), row, ...(last === undefined ? [] : [last])]);
    setNextKey(nextKey + 1);
  };
  return (
    <fieldset ref={ref} className="tier-table" disabled={!isShown} hidden={!isShown}>
      <legend>Tiers</legend>
      <div className="table">
        <div className="table-scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">From</th>
                <th scope="col">To</th>
                <th scope="col">Per unit in {currency}</th>
                <th scope="col">Flat fee in {currency}</th>
                <th scope="col">
                  <span className="unseen">Remove</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((row, index) => (
                <TierCells
                  key={row.key}
                  {...{ row, index }}
                  isLast={index === shown.length - 1}
                  before={shown[index - 1]}
                  onUpTo={(upTo) =>
                    setShown(shown.map((one) => (one.key === row.key ? { ...one, upTo } : one)))
                  }
                  onRemove={() => setShown(shown.filter(({ key }) => key !== row.key))}
                />
              ))}
            </tbody>
          </table>
        </div>
      </div>
      <FieldProblem name="tiers" />
      <Button onClick={add}>
        <Plus aria-hidden="true" />
        Add tier
      </Button>
    </fieldset>
  );
}

function TierCells({
  row,
  index,
  isLast,
  before,
  onUpTo,
  onRemove,
}: {
  row: TierRow;
  index: number;
  isLast: boolean;
  before: TierRow | undefined;
  onUpTo: (upTo: string) => void;
  onRemove: () => void;
}) {
  const what = `Tier ${String(index + 1)}`;
  const amount = { inputMode: 'decimal', autoComplete: 'off' } as const;
  return (
    <tr>
      <td data-title="From">
        {before === undefined ? 'First unit' : `Over ${before.upTo || '…'}`}
      </td>
      <td data-title="To">
        {isLast ? (
          'No limit'
        ) : (
          <CellField
            name={tierField(index, 'upTo')}
            label={`${what}: to`}
            {...amount}
            value={row.upTo}
            onChange={(event) => onUpTo(event.target.value)}
          />
        )}
      </td>
      <td data-title="Per unit">
        <CellField
          name={tierField(index, 'unitAmount')}
          label={`${what}: price per unit`}
          {...amount}
          defaultValue={row.unitAmount}
        />
      </td>
      <td data-title="Flat fee">
        <CellField
          name={tierField(index, 'flatAmount')}
          label={`${what}: flat fee`}
          {...amount}
          placeholder="None"
          defaultValue={row.flatAmount}
        />
      </td>
      <td data-title="">
        {!isLast && (
          <Button tone="plain" aria-label={`Remove tier ${String(index + 1)}`} onClick={onRemove}>
            <Trash2 aria-hidden="true" />
          </Button>
        )}
      </td>
    </tr>
  );
}
