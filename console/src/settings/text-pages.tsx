import { useMayInInstance } from '../app/permissions.ts';
import { OneText } from '../sign-in/text-page.tsx';
import { AllTexts } from '../sign-in/texts-page.tsx';
import { textsOfInstance } from '../sign-in/texts.ts';
import { SettingsShell } from './settings-frame.tsx';

/** The words of messages in every organization that has none of its own. */
export function InstanceTextsPage() {
  return <AllTexts scope={textsOfInstance} frame={SettingsShell} />;
}

export function InstanceTextPage() {
  const may = useMayInInstance();
  return <OneText scope={textsOfInstance} frame={SettingsShell} mayChange={may('iam.write')} />;
}
