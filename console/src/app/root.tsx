import { Anchor, Button, Center, MantineProvider, Stack, Text, Title } from '@mantine/core';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import './console.css';
import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { queries } from './queries.ts';
import { router } from './router.tsx';
import { leaveToSignIn, SignInRefused, wantedAddress } from './session.ts';
import { cssVariables, theme } from './theme.ts';
import { words } from './words.ts';

const t = words({ en, de });
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
// what keeps the page from scrolling behind a dialog makes its own style, and asks for the nonce by this name
Object.assign(globalThis, { __webpack_nonce__: nonce });
const root = createRoot(document.getElementById('console') ?? document.body);

function Frame({ children }: { readonly children: React.ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      {children}
    </MantineProvider>
  );
}

function reasonOf(error: unknown): string {
  return error instanceof SignInRefused ? error.reason : t.errors.unreachable;
}

function Refusal({ error }: { readonly error: unknown }) {
  const [reason, setReason] = useState(() => reasonOf(error));
  const [isLeaving, setLeaving] = useState(false);
  function tryAgain(): void {
    setLeaving(true);
    leaveToSignIn(wantedAddress()).catch((failure: unknown) => {
      setReason(reasonOf(failure));
      setLeaving(false);
    });
  }
  return (
    <Center mih="100vh" p="md">
      <Stack maw={440}>
        <Title order={1} size="h2">
          {t.signIn.refused}
        </Title>
        <Text c="dimmed" aria-live="polite">
          {reason}
        </Text>
        <Button loading={isLeaving} onClick={tryAgain}>
          {t.signIn.again}
        </Button>
        <Anchor href="/">{t.signIn.home}</Anchor>
      </Stack>
    </Center>
  );
}

/** The page at the address, for whoever has signed in. */
export function showConsole(): void {
  root.render(
    <StrictMode>
      <Frame>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </Frame>
    </StrictMode>,
  );
}

/** Why nobody is signed in. */
export function showRefusal(error: unknown): void {
  root.render(
    <Frame>
      <Refusal error={error} />
    </Frame>,
  );
}
