import { grouped } from './grouped-choices';
import { type FieldLabel, useFieldProblems } from './form';

/** Group of checkboxes, in named parts if `groupOf` names them. */
export function ChoicesField({
  name,
  label,
  hint,
  choices,
  labelOf = (choice) => choice,
  groupOf = () => '',
  marked = [],
}: FieldLabel & {
  readonly choices: readonly string[];
  /** Label of a choice. */
  readonly labelOf?: (choice: string) => string;
  /** Name of the part that a choice is in; empty: no name. */
  readonly groupOf?: (choice: string) => string;
  readonly marked?: readonly string[];
}) {
  const problems = useFieldProblems(name);
  const boxOf = (choice: string) => (
    <label key={`${choice} ${String(marked.includes(choice))}`} className="check">
      <input type="checkbox" name={name} value={choice} defaultChecked={marked.includes(choice)} />{' '}
      <span>{labelOf(choice)}</span>
    </label>
  );
  return (
    <fieldset>
      <legend>{label}</legend>
      {hint !== undefined && <p className="faint">{hint}</p>}
      {problems.length > 0 && <p className="problem">{problems.join(', ')}</p>}
      <div className="choices">
        {grouped(choices, groupOf).map(([group, members]) =>
          group === '' ? (
            members.map(boxOf)
          ) : (
            <div key={group} role="group" aria-label={group} className="choice-group">
              <span className="choice-group-name" aria-hidden="true">
                {group}
              </span>
              {members.map(boxOf)}
            </div>
          ),
        )}
      </div>
    </fieldset>
  );
}
