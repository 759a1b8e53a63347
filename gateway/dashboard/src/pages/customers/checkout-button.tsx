import { useState } from 'react';
import { useRefusal } from '../../api/environment';
import { useAction } from '../../api/queries';
import { Button, CopyText } from '../../parts/element/buttons';
import { EmptyState } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { Form, TextField } from '../../parts/form/form';
import { DialogButton } from '../../parts/overlay/dialog';
import { typedCount } from '../../parts/text/amount';
import { DiscountField, ProductField, useSoldProducts } from '../../resources/pickers';
import type { Product } from '../../resources/product';

interface CreatedSession {
  readonly checkoutUrl: string;
}

/** Creates a page on which the customer buys a product. */
export function CheckoutButton({ customerId }: { customerId: string }) {
  const refusal = useRefusal('checkout');
  return (
    <DialogButton label="Checkout" title="Create checkout" tone="quiet" refusal={refusal}>
      {(close) => <Checkout customerId={customerId} onDone={close} />}
    </DialogButton>
  );
}

function Checkout({ customerId, onDone }: { customerId: string; onDone: () => void }) {
  const products = useSoldProducts();
  const [created, setCreated] = useState<CreatedSession>();
  const [chosen, setChosen] = useState<Product>();
  const create = useAction<object, CreatedSession>((body) => ({
    method: 'POST',
    path: '/v1/checkout',
    body,
  }));
  if (created !== undefined) return <CheckoutLink {...{ created, onDone }} />;
  return (
    <Answer of={products} what="products">
      {({ data: [initial] }) =>
        initial === undefined ? (
          <EmptyState title="No products yet">Create a product first.</EmptyState>
        ) : (
          <Form
            submit="Create checkout"
            onCancel={onDone}
            onSubmit={async (values) => {
              const session = await create.mutateAsync({
                customerId,
                productId: values.text('productId'),
                quantity: typedCount(values.optional('quantity')),
                discountId: values.optional('discountId'),
              });
              setCreated(session);
            }}
          >
            <ProductField initial={initial} onChoose={setChosen} />
            <TextField name="quantity" label="Quantity" inputMode="numeric" defaultValue="1" />
            <DiscountField currency={(chosen ?? initial).currency} />
          </Form>
        )
      }
    </Answer>
  );
}

function CheckoutLink({ created, onDone }: { created: CreatedSession; onDone: () => void }) {
  return (
    <>
      <p>Send this address to the customer, who pays there.</p>
      <CopyText text={created.checkoutUrl} what="checkout address" />
      <div className="actions">
        <a className="button main" href={created.checkoutUrl} target="_blank" rel="noreferrer">
          Open checkout
        </a>
        <Button onClick={onDone}>Done</Button>
      </div>
    </>
  );
}
