import { useWorkspace } from '../../api/environment';
import { useAction } from '../../api/queries';
import { Form, TextField } from '../../parts/form/form';

/** Form for the name of the organization. */
export function OrganizationForm({ onDone }: { onDone: () => void }) {
  const { organization } = useWorkspace().session;
  const rename = useAction(
    (body: object) => ({ method: 'PATCH', path: '/dashboard/api/organization', body }),
    'Organization renamed',
  );
  return (
    <Form
      submit="Rename"
      onCancel={onDone}
      onSubmit={async (values) => {
        await rename.mutateAsync({ name: values.text('name') });
        onDone();
      }}
    >
      <TextField
        name="name"
        label="Name"
        maxLength={200}
        autoComplete="organization"
        defaultValue={organization.name}
        hint="Your team sees it in the dashboard and in invitations. Customers see the name of the seller."
      />
    </Form>
  );
}
