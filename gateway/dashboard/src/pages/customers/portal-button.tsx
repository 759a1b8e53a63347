import { useState } from 'react';
import { useRefusal } from '../../api/environment';
import { useAction } from '../../api/queries';
import { Button, CopyText } from '../../parts/element/buttons';
import { DialogButton } from '../../parts/overlay/dialog';
import { Form } from '../../parts/form/form';
import { Instant } from '../../parts/element/values';

interface PortalSession {
  readonly url: string;
  readonly expiresAt: string;
}

/** Creates a link that signs a customer in to the portal. */
export function PortalButton({ customerId }: { customerId: string }) {
  const refusal = useRefusal('portal');
  return (
    <DialogButton label="Portal link" title="Create portal link" tone="quiet" refusal={refusal}>
      {(close) => <PortalLink customerId={customerId} onDone={close} />}
    </DialogButton>
  );
}

function PortalLink({ customerId, onDone }: { customerId: string; onDone: () => void }) {
  const [created, setCreated] = useState<PortalSession>();
  const create = useAction<object, PortalSession>((body) => ({
    method: 'POST',
    path: '/v1/portal/sessions',
    body,
  }));
  if (created === undefined) {
    return (
      <Form
        submit="Create link"
        onCancel={onDone}
        onSubmit={async () => {
          setCreated(await create.mutateAsync({ customerId }));
        }}
      >
        <p>
          Anyone with the link can see this customer’s subscriptions and payments, and can cancel.
          The link works once.
        </p>
      </Form>
    );
  }
  return (
    <>
      <CopyText text={created.url} what="portal link" />
      <p className="faint">
        Works once. Expires <Instant at={created.expiresAt} /> (real time).
      </p>
      <div className="actions">
        <a className="button main" href={created.url} target="_blank" rel="noreferrer">
          Open portal
        </a>
        <Button onClick={onDone}>Done</Button>
      </div>
    </>
  );
}
