import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import de from '../../../locales/console/de/providers.json';
import en from '../../../locales/console/en/providers.json';
import { answered, api } from '../api/client.ts';
import { words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { forgetDraft, useDraft, useLostSecret } from '../shared/draft.ts';
import { AppLink } from '../shared/links.tsx';
import { NewPage } from '../shared/new-page.tsx';
import { ProviderFields } from './provider-fields.tsx';
import { bodyOf, PROVIDERS_KEY, valuesOf, type ProviderValues } from './providers.ts';

const t = words({ en, de });
const DRAFT = 'provider.new';

/** Adds a provider of mail or SMS. It carries nothing before it is activated. */
export function NewProviderPage() {
  const navigate = useNavigate();
  const form = useForm<ProviderValues>({ mode: 'controlled', initialValues: valuesOf() });
  useDraft(DRAFT, { ...form.getValues(), secret: '' }, form.isDirty(), (kept) => form.setValues(kept));
  const isSecretLost = useLostSecret(DRAFT, form.getValues().secret !== '', form.isDirty());
  const add = useAct({
    call: async (values: ProviderValues) =>
      await answered(api.POST('/admin/v1/notification_providers', { body: bodyOf(values) })),
    stale: [PROVIDERS_KEY],
    done: t.done.added,
    quiet: true,
    onDone: ({ id }) => {
      form.resetDirty();
      forgetDraft(DRAFT);
      void navigate({
        to: '/instance/providers/$provider',
        params: { provider: id },
        ignoreBlocker: true,
      });
    },
  });
  return (
    <NewPage
      title={t.new.title}
      lead={t.new.lead}
      back={
        <AppLink size="sm" to="/instance/providers">
          {t.title}
        </AppLink>
      }
      form={form}
      make={add}
      submit={t.new.submit}
      isSecretLost={isSecretLost}
    >
      <ProviderFields form={form} isNew />
    </NewPage>
  );
}
