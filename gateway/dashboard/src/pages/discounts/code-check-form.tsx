import { useState } from 'react';
import { Link } from 'wouter';
import { useComputation } from '../../api/queries';
import { Notice } from '../../parts/element/notices';
import { Form, TextField } from '../../parts/form/form';
import { type Discount, redemptionsText, termsText } from '../../resources/discount';
import { ProductField } from '../../resources/pickers';
import { codeRefusal } from './code-refusal';

/** Form that says whether a code can be redeemed now, and why not. Nothing is reserved. */
export function CodeCheckForm({ onDone }: { onDone: () => void }) {
  const [found, setFound] = useState<Discount | null>(null);
  const check = useComputation<object, Discount>((body) => ({
    method: 'POST',
    path: '/v1/discounts/validate',
    body,
  }));
  return (
    <Form
      submit="Check"
      onCancel={onDone}
      dismiss="Close"
      onSubmit={async (values) => {
        setFound(null);
        const asked = { code: values.text('code'), productId: values.optional('productId') };
        try {
          setFound(await check.mutateAsync(asked));
        } catch (error) {
          throw codeRefusal(error);
        }
      }}
    >
      {found !== null && (
        <Notice tone="good">
          <p>
            <strong>This code can be redeemed.</strong>{' '}
            <Link href={`/discounts/${found.id}`}>{found.name}</Link>: {termsText(found)}.
            Redemptions: {redemptionsText(found)}.
          </p>
        </Notice>
      )}
      <TextField name="code" label="Code" autoComplete="off" />
      <ProductField initial={undefined} hint="Optional. The code may be for other products only." />
    </Form>
  );
}
