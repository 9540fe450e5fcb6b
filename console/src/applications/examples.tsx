import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import de from '../../../locales/console/de/applications.json';
import en from '../../../locales/console/en/applications.json';
import { say, words } from '../app/words.ts';
import { CodeBlock } from '../shared/code-block.tsx';
import { Failure } from '../shared/failure.tsx';
import { LoadingRows } from '../shared/loading.tsx';
import { Facts } from '../shared/section.tsx';
import type { Kind } from './applications.ts';
import {
  comesBack,
  fillIn,
  FRAMEWORK_NAMES,
  loadQuickstart,
  redirectUriFor,
  type Block,
  type Framework,
  type Ids,
  type Quickstart,
} from './quickstart.ts';
import { requestsOf, type Caller } from './requests.ts';

const t = words({ en, de });

/** The frameworks that each kind of application is written with. */
export const FRAMEWORKS_OF: Readonly<Record<Kind, readonly Framework[]>> = {
  spa: ['react-spa'],
  web: ['nextjs-authjs', 'express', 'spring-boot', 'django', 'go'],
  native: ['mobile', 'command-line'],
  api: ['spring-boot'],
};

/** Without a framework: any language can do it. */
const REQUESTS = 'requests';

/** What registers one more redirect URI. */
interface Register {
  readonly isPending: boolean;
  readonly mutate: (uri: string) => void;
}

interface ExamplesProperties {
  readonly kind: Kind;
  readonly ids: Ids;
  readonly framework?: Framework | undefined;
  /** Where the visitor may. */
  readonly register?: Register | undefined;
}

/** How the application signs people in, with its own ids filled in. */
export function Examples({ kind, ids, framework, register }: ExamplesProperties) {
  const frameworks = FRAMEWORKS_OF[kind];
  const [chosen, setChosen] = useState<string>(framework ?? frameworks[0] ?? REQUESTS);
  const known = frameworks.find((one) => one === chosen);
  return (
    <Stack>
      <Select
        label={t.examples.framework}
        value={chosen}
        onChange={(value) => setChosen(value ?? REQUESTS)}
        allowDeselect={false}
        data={[
          ...frameworks.map((value) => ({ value, label: FRAMEWORK_NAMES[value] })),
          { value: REQUESTS, label: t.examples.requests },
        ]}
        maw={320}
      />
      {known === undefined ? (
        <Requests caller={kind} ids={ids} />
      ) : (
        <Tested key={known} kind={kind} framework={known} ids={ids} register={register} />
      )}
      {ids.clientSecret === undefined && kind !== 'spa' && kind !== 'native' && (
        <Text size="sm" c="dimmed">
          {t.examples.noSecret}
        </Text>
      )}
    </Stack>
  );
}

/** For the kinds that no framework of ours covers, and for programs without a user. */
export function Requests({ caller, ids }: { readonly caller: Caller; readonly ids: Ids }) {
  return <Blocks blocks={requestsOf(caller, ids)} />;
}

function Tested({ kind, framework, ids, register }: ExamplesProperties & { readonly framework: Framework }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['quickstart', framework],
    queryFn: async () => await loadQuickstart(framework),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} stays />;
  if (data === undefined) return <LoadingRows rows={3} />;
  if (kind === 'api') return <Blocks blocks={data.apiBlocks.map((block) => fillIn(block, ids, data))} />;
  if (framework === 'mobile') {
    return <Installed ids={ids} quickstart={data} register={register} />;
  }
  const redirectUri = redirectUriFor(data, ids.redirectUris);
  const [own] = data.settings.redirectUris ?? [];
  return (
    <>
      {!comesBack(data.settings) && (
        <Text size="sm" c="dimmed">
          {t.examples.needsDeviceCode}
        </Text>
      )}
      {redirectUri === undefined && own !== undefined && <Lacking uri={own} register={register} />}
      {redirectUri !== undefined && (
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            {t.examples.comesBack}
          </Text>
          <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {redirectUri}
          </Text>
        </Group>
      )}
      <Blocks blocks={data.blocks.map((block) => fillIn(block, ids, data, redirectUri))} />
    </>
  );
}

interface LackingProperties {
  readonly uri: string;
  readonly register: Register | undefined;
}

/** The example comes back to an address that the service would refuse. */
function Lacking({ uri, register }: LackingProperties) {
  return (
    <Alert color="yellow" variant="light" title={say(t.examples.lacks, { uri })}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t.examples.lacksText}</Text>
        {register !== undefined && (
          <Button
            size="xs"
            variant="default"
            loading={register.isPending}
            onClick={() => register.mutate(uri)}
          >
            {t.examples.register}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** Phones take their settings into AppAuth; on a desktop a program listens on whatever port is free. */
function Installed({
  ids,
  quickstart,
  register,
}: Pick<ExamplesProperties, 'ids' | 'register'> & { readonly quickstart: Quickstart }) {
  const isLoopback = (uri: string) => uri.startsWith('http:');
  const loopback = quickstart.settings.redirectUris?.find(isLoopback);
  return (
    <>
      <Text fw={600}>{t.examples.appAuth}</Text>
      <Facts
        facts={[
          [t.connect.issuer, ids.issuer],
          [t.clientId, ids.clientId],
          [t.examples.redirectUri, ids.redirectUris.find((uri) => !isLoopback(uri)) ?? '…'],
          [t.examples.scopes, 'openid profile email offline_access'],
        ]}
      />
      <Text fw={600}>{t.examples.desktop}</Text>
      {loopback !== undefined && !ids.redirectUris.includes(loopback) && (
        <Lacking uri={loopback} register={register} />
      )}
      <Blocks blocks={quickstart.blocks.map((block) => fillIn(block, ids, quickstart))} />
    </>
  );
}

function Blocks({ blocks }: { readonly blocks: readonly Block[] }) {
  return (
    <Stack gap="sm">
      {blocks.map(({ file, language, code }) => (
        <CodeBlock
          key={`${file ?? ''}${code}`}
          title={file ?? (language === 'sh' ? t.examples.shell : language)}
          code={code}
        />
      ))}
    </Stack>
  );
}
