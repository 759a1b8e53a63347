import { useState } from 'react';
import { brandColors } from '@billing/kernel/brand-colors';
import { useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { PageLayout, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { Form, TextField } from '../../parts/form/form';
import type { Branding } from '../../resources/branding';
import { BrandPreview } from './brand-preview';
import { EmailPreview } from './email-preview';
import { accentOf, typedBranding } from './branding-values';

/** Name, colors and addresses on pages and mails. */
export function BrandingPage() {
  const answer = useResource<Branding>('/v1/branding');
  return (
    <PageLayout
      title="Branding"
      lead="Name, colors and addresses on hosted pages, the portal and emails."
    >
      <Panel>
        <Answer of={answer} what="branding" rows={8}>
          {(branding) => <BrandingForm key={branding.updatedAt} branding={branding} />}
        </Answer>
      </Panel>
      {answer.data !== undefined && <EmailPreview key={answer.data.updatedAt} />}
    </PageLayout>
  );
}

function BrandingForm({ branding }: { branding: Branding }) {
  const refusal = useRefusal('branding');
  const [typed, setTyped] = useState(branding.accentColor);
  const save = useAction<object, Branding>(
    (body) => ({ method: 'PATCH', path: '/v1/branding', body }),
    'Branding saved',
  );
  const accent = accentOf(typed) ?? branding.accentColor;
  return (
    <Form
      submit="Save"
      refusal={refusal}
      onSubmit={(values) => save.mutateAsync(typedBranding(values))}
    >
      <TextField
        name="displayName"
        label="Display name"
        maxLength={100}
        defaultValue={branding.displayName ?? ''}
        hint="Optional. Without it, pages and emails show the legal name of the seller."
      />
      <TextField
        name="accentColor"
        label="Accent color"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        hint="#RRGGBB. Any color works: links and button texts get enough contrast."
      />
      <div className="color-picker">
        <input
          type="color"
          aria-label="Pick the accent color"
          value={accent.toLowerCase()}
          onChange={(event) => setTyped(event.target.value.toUpperCase())}
        />
      </div>
      <BrandPreview colors={brandColors(accent)} name={branding.displayName ?? 'Your name'} />
      <AddressFields branding={branding} />
      <TextField
        name="defaultLocale"
        label="Default language"
        defaultValue={branding.defaultLocale}
        hint="Language tag such as en, de-CH or pt-BR, for customers without a language."
      />
    </Form>
  );
}

function AddressFields({ branding }: { branding: Branding }) {
  return (
    <>
      <TextField
        name="supportEmail"
        label="Support email"
        type="email"
        defaultValue={branding.supportEmail ?? ''}
        hint="Optional. Without it, pages and emails show the email of the seller."
      />
      <TextField
        name="supportUrl"
        label="Support page"
        type="url"
        defaultValue={branding.supportUrl ?? ''}
        hint="Optional."
      />
      <TextField
        name="termsUrl"
        label="Terms"
        type="url"
        defaultValue={branding.termsUrl ?? ''}
        hint="Optional."
      />
      <TextField
        name="privacyUrl"
        label="Privacy policy"
        type="url"
        defaultValue={branding.privacyUrl ?? ''}
        hint="Optional."
      />
    </>
  );
}
