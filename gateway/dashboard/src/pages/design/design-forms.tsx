import { ApiProblem } from '../../api/problem';
import { ChoicesField } from '../../parts/form/choices-field';
import {
  CellField,
  FieldProblem,
  Form,
  SelectField,
  TextAreaField,
  TextField,
} from '../../parts/form/form';
import { PickerField, usePickerSearch } from '../../parts/form/picker';
import { NewPasswordField } from '../../parts/form/new-password-field';
import { TimeField } from '../../parts/form/time-field';
import { WhenField } from '../../parts/form/when-field';
import { MetadataField } from '../../parts/resource/metadata';
import { matchingChoices } from '../../parts/text/choice';

export const refused = new ApiProblem('Please fix the fields below', {
  status: 400,
  code: 'invalid_request',
  fields: {
    email: ['Invalid email'],
    at: ['Must be ahead, at most five years'],
    rate: ['Must be a number'],
    rates: ['Must be in ascending order'],
  },
  requestId: undefined,
});
export const failed = new ApiProblem('Internal error', {
  status: 500,
  code: 'internal',
  fields: {},
  requestId: '0190a000-0000-7000-8000-000000000001',
});

const plans = [
  { id: '1', label: 'Pro', detail: '$29.00 monthly' },
  { id: '2', label: 'Enterprise', detail: '$290.00 monthly' },
];

/** Fields of forms: filled in, empty, and, once the form is submitted, with problems. */
export function FormParts() {
  const { searched } = usePickerSearch();
  const picker = { what: 'plans', choices: matchingChoices(plans, searched.search) };
  return (
    <Form submit="Save" onCancel={() => undefined} onSubmit={() => Promise.reject(refused)}>
      <TextField name="name" label="Name" defaultValue="Ada Lovelace" hint="Optional." />
      <TextField name="email" label="Email" defaultValue="ada" />
      <TimeField name="from" label="From" time={null} />
      <SelectField
        name="clock"
        label="Clock"
        choices={[
          ['MANUAL', 'Manual'],
          ['REAL', 'Real time'],
        ]}
      />
      <TextAreaField name="text" label="Description" defaultValue={'First line\nSecond line'} />
      <ChoicesField
        name="events"
        label="Events"
        choices={['subscription.created', 'subscription.canceled']}
        marked={['subscription.created']}
      />
      <PickerField name="planId" label="Plan" initial={plans[0]} {...picker} {...searched} />
      <PickerField name="nextPlanId" label="Next plan" isOptional {...picker} {...searched} />
      <NewPasswordField name="password" label="New password" />
      <WhenField
        choices={[['PERIOD_END', 'At period end']]}
        at="PERIOD_END"
        hint="Paused subscriptions change immediately."
      />
      <WhenField choices={[['PERIOD_END', 'At period end']]} at="2026-02-25T09:00:00Z" />
      <MetadataField rows={3} metadata={{ team: 'research', seats: 3 }} />
      <table>
        <thead>
          <tr>
            <th scope="col">To</th>
            <th scope="col">Per unit</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>
              <CellField name="upTo" label="To" defaultValue="100" />
            </td>
            <td>
              <CellField name="rate" label="Per unit" defaultValue="two" />
            </td>
          </tr>
        </tbody>
      </table>
      <FieldProblem name="rates" />
    </Form>
  );
}
