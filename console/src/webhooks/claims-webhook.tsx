import { Alert, Button, Code, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import de from '../../../locales/console/de/webhooks.json';
import en from '../../../locales/console/en/webhooks.json';
import { answered, api, inOrganization, NEVER_SET, type Answered } from '../api/client.ts';
import { momentOf, say, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { Failure } from '../shared/failure.tsx';
import { Found } from '../shared/found.tsx';
import { LoadingRows } from '../shared/loading.tsx';
import { Secret } from '../shared/secret.tsx';
import { Section } from '../shared/section.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';

const t = words({ en, de });
const c = t.claims;

type ClaimsWebhook = NonNullable<Answered<'/management/v1/claims_webhook', 'get'>['claimsWebhook']>;
type Test = Answered<'/management/v1/claims_webhook/_test', 'post'>;

// oxlint-disable-next-line typescript/consistent-type-definitions -- forms take records, which an interface is not
type Values = {
  readonly url: string;
  readonly timeout: string;
  readonly onFailure: ClaimsWebhook['onFailure'];
};

interface ClaimsWebhookProperties {
  readonly org: string;
  readonly mayWrite: boolean;
}

/** Who is asked for claims of tokens: one of an organization, or none. */
export function ClaimsWebhookSection({ org, mayWrite }: ClaimsWebhookProperties) {
  const queryKey = ['claims-webhook', org];
  const { header } = inOrganization(org);
  const found = useQuery({ queryKey, queryFn: async () => await read(org) });
  const [secret, setSecret] = useState<string>();
  const remove = useAct({
    call: async () =>
      await answered(
        api.DELETE('/management/v1/claims_webhook', {
          params: inOrganization(org, found.data?.set?.details.sequence),
        }),
      ),
    stale: [queryKey],
    done: c.removed,
  });
  const change = useAct({
    call: async () =>
      await answered(
        api.POST('/management/v1/claims_webhook/_change_secret', { params: { header }, body: {} }),
      ),
    stale: [queryKey],
    done: t.done.secret,
    onDone: (changed) => setSecret(changed.secret),
  });
  const test = useAct({
    call: async () => await answered(api.POST('/management/v1/claims_webhook/_test', { params: { header } })),
    stale: [],
    quiet: true,
  });
  function shown({ set: webhook }: { readonly set: ClaimsWebhook | undefined }) {
    if (webhook === undefined && !mayWrite) return undefined;
    return (
      <Section title={c.title} lead={c.lead}>
        {secret !== undefined && <Secret title={t.secret.made} value={secret} />}
        <SettingsForm<Values>
          bare
          name={`claims-webhook.${org}`}
          initial={valuesOf(webhook)}
          sequence={webhook?.details.sequence ?? NEVER_SET}
          save={async (values, sequence) => {
            const put = await write(org, values, sequence);
            if (put.secret !== undefined) setSecret(put.secret);
            return put;
          }}
          stale={[queryKey]}
          done={c.saved}
        >
          {(form) => (
            <Stack maw={640}>
              <TextInput
                label={c.url}
                description={t.fields.urlHelp}
                type="url"
                required
                autoComplete="off"
                readOnly={!mayWrite}
                placeholder="https://hooks.example.com/claims"
                {...form.getInputProps('url')}
              />
              <Select
                label={c.timeout}
                description={c.timeoutHelp}
                allowDeselect={false}
                disabled={!mayWrite}
                data={c.seconds.map((label, index) => ({ value: `${index + 1}s`, label }))}
                {...form.getInputProps('timeout')}
              />
              <Select
                label={c.onFailure}
                allowDeselect={false}
                disabled={!mayWrite}
                data={Object.entries(c.failures).map(([value, label]) => ({ value, label }))}
                {...form.getInputProps('onFailure')}
              />
            </Stack>
          )}
        </SettingsForm>
        {webhook !== undefined && mayWrite && (
          <Group mt="md">
            <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
              {c.test}
            </Button>
            <Confirm
              label={t.secret.change}
              title={t.secret.change}
              text={t.secret.changeText}
              isWorking={change.isPending}
              onConfirm={() => change.mutate()}
            />
            <Confirm
              label={c.remove}
              title={c.remove}
              text={c.removeText}
              danger
              isWorking={remove.isPending}
              onConfirm={() => remove.mutate()}
            />
          </Group>
        )}
        {webhook?.formerSecretUntil !== undefined && new Date(webhook.formerSecretUntil) > new Date() && (
          <Text size="sm" mt="sm">
            {say(t.secret.former, { until: momentOf(webhook.formerSecretUntil) ?? '' })}
          </Text>
        )}
        {test.error && <Failure error={test.error} />}
        {test.data !== undefined && <Answer test={test.data} />}
      </Section>
    );
  }
  return (
    <Found found={found} loading={<LoadingRows rows={2} />}>
      {shown}
    </Found>
  );
}

function Answer({ test: { claims, reason = '', durationMs } }: { readonly test: Test }) {
  const isTaken = claims !== undefined;
  return (
    <Alert color={isTaken ? 'green' : 'red'} variant="light" mt="md" role="status">
      <Text fw={600}>{isTaken ? say(c.answered, { ms: durationMs }) : say(c.failed, { reason })}</Text>
      {isTaken && (
        <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {JSON.stringify(claims, null, 1)}
        </Code>
      )}
    </Alert>
  );
}

/** None is found as well as one. */
async function read(org: string): Promise<{ readonly set: ClaimsWebhook | undefined }> {
  const { claimsWebhook } = await answered(
    api.GET('/management/v1/claims_webhook', { params: inOrganization(org) }),
  );
  return { set: claimsWebhook };
}

async function write(org: string, { url, timeout, onFailure }: Values, sequence: string | undefined) {
  return await answered(
    api.PUT('/management/v1/claims_webhook', {
      params: inOrganization(org, sequence),
      body: { url: url.trim(), timeout, onFailure },
    }),
  );
}

function valuesOf(webhook: ClaimsWebhook | undefined): Values {
  return {
    url: webhook?.url ?? '',
    timeout: webhook?.timeout ?? '1s',
    onFailure: webhook?.onFailure ?? 'issue',
  };
}
