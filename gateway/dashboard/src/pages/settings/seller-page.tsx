import { useState } from 'react';
import { useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { PageLayout, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { Form, TextAreaField, TextField } from '../../parts/form/form';
import { AddressFields } from '../../resources/address-fields';
import { PdfButton } from '../../resources/invoice/pdf-button';
import type { Seller } from '../../resources/seller';
import { TaxIdsField } from '../../resources/tax/tax-ids-field';
import { LogoField } from './logo-field';
import { changedSeller, type LogoChange } from './seller-values';

/** The seller as invoices name it. */
export function SellerPage() {
  const answer = useResource<Seller>('/v1/seller');
  return (
    <PageLayout
      title="Seller"
      lead="Changes apply to invoices that are finalized from now on."
      actions={
        <PdfButton
          path="/dashboard/api/seller/sample-pdf"
          name="sample-invoice"
          label="Sample PDF"
        />
      }
    >
      <Panel>
        <Answer of={answer} what="seller" rows={8}>
          {(seller) => <SellerForm stored={seller} />}
        </Answer>
      </Panel>
    </PageLayout>
  );
}

function SellerForm({ stored }: { stored: Seller }) {
  // A newer version that is read while the form is filled in must not replace its texts.
  const [seller, setSeller] = useState(stored);
  const refusal = useRefusal('seller');
  const [logo, setLogo] = useState<LogoChange>();
  const save = useAction<object, Seller>(
    (body) => ({ method: 'PATCH', path: '/v1/seller', body }),
    'Seller saved',
  );
  return (
    <Form
      key={seller.version}
      submit="Save"
      refusal={refusal}
      onSubmit={async (values) => {
        setSeller(await save.mutateAsync(changedSeller(values, logo, seller)));
        setLogo(undefined);
      }}
    >
      <NameFields seller={seller} />
      <LogoField stored={seller.logo} change={logo} onChange={setLogo} />
      <AddressFields address={seller.address} />
      <TaxIdsField taxIds={seller.taxIds} />
      <RegistrationFields seller={seller} />
      <BankFields account={seller.bankAccount} />
      <fieldset className="fields">
        <legend>Invoices</legend>
        <TextField
          name="invoicePrefix"
          label="Number prefix"
          defaultValue={seller.invoicePrefix}
          hint="Up to 11 of A-Z, 0-9 and -, then a hyphen. Numbering continues under a new prefix."
        />
        <TextField
          name="netDays"
          label="Net days"
          inputMode="numeric"
          defaultValue={String(seller.netDays)}
          hint="Days after which a sent invoice is due."
        />
      </fieldset>
    </Form>
  );
}

function NameFields({ seller }: { seller: Seller }) {
  return (
    <>
      <TextField
        name="legalName"
        label="Legal name"
        maxLength={200}
        defaultValue={seller.legalName ?? ''}
        hint="Without it, invoices show no seller."
      />
      <TextField
        name="contactName"
        label="Contact"
        maxLength={200}
        defaultValue={seller.contactName ?? ''}
      />
      <TextField name="email" label="Email" type="email" defaultValue={seller.email ?? ''} />
      <TextField name="phone" label="Phone" maxLength={40} defaultValue={seller.phone ?? ''} />
    </>
  );
}

function RegistrationFields({ seller }: { seller: Seller }) {
  return (
    <>
      <TextField
        name="registrationNumber"
        label="Registration number"
        maxLength={50}
        defaultValue={seller.registrationNumber ?? ''}
      />
      <TextAreaField
        name="registrationText"
        label="Registration text"
        rows={2}
        defaultValue={seller.registrationText ?? ''}
        hint="Optional, such as the register court and the directors."
      />
      <TextAreaField
        name="footer"
        label="Footer"
        rows={2}
        defaultValue={seller.footer ?? ''}
        hint="Optional. Below every invoice."
      />
    </>
  );
}

function BankFields({ account }: { account: Seller['bankAccount'] }) {
  return (
    <fieldset className="fields">
      <legend>Bank account</legend>
      <TextField
        name="bankAccount.holder"
        label="Account holder"
        maxLength={200}
        defaultValue={account?.holder ?? ''}
      />
      <TextField
        name="bankAccount.iban"
        label="IBAN"
        autoComplete="off"
        defaultValue={account?.iban ?? ''}
      />
      <TextField
        name="bankAccount.bic"
        label="BIC"
        autoComplete="off"
        defaultValue={account?.bic ?? ''}
        hint="Optional."
      />
    </fieldset>
  );
}
