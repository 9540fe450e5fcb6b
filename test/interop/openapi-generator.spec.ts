import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { randomToken } from '../../src/domain/shared/random.js';
import { aServiceUser } from '../support/service-users.js';
import { useWorld } from '../support/world.js';
import { record } from './support/matrix.js';

/**
 * Clients that openapi-generator makes of the document of a running service: each is compiled and imports a human,
 * reads them, writes their profile back, uploads a file, and reads an answer of a later version. Needs Java, Maven,
 * Python, Go, and their registries.
 */
const VERSION = '7.14.0';
/** By its default the generator holds that an object has no fields but those named, unlike JSON Schema. */
const OPEN = 'disallowAdditionalPropertiesIfNotPresent=false';
const DAY = '2030-01-01T00:00:00Z';
const LATER = JSON.stringify({
  userId: 'later',
  details: { sequence: '1', creationDate: DAY, changeDate: DAY, resourceOwner: '1', more: true },
  more: true,
});
const FOLDER = join(process.cwd(), '.data', 'interop', 'openapi-generator');
const JAR = join(FOLDER, `openapi-generator-cli-${VERSION}.jar`);

let environment: Record<string, string>;

const { api, world } = useWorld();
beforeAll(async () => {
  await api.app.listen(0, '127.0.0.1');
  const { port } = api.app.getHttpServer().address() as AddressInfo;
  const { pat } = await aServiceUser(world, 'ORG_OWNER');
  environment = { BASE_URL: `http://127.0.0.1:${port}`, TOKEN: pat };
  await mkdir(FOLDER, { recursive: true });
  if (!existsSync(JAR)) {
    const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${VERSION}`;
    await run('mvn', ['-q', '-B', 'dependency:copy', artifact, `-DoutputDirectory=${FOLDER}`], FOLDER);
  }
  const document = await fetch(`${environment['BASE_URL']}/openapi.json`);
  await writeFile(join(FOLDER, 'openapi.json'), await document.text());
});

async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  // oxlint-disable-next-line node/no-process-env -- the tools find their caches and each other by it
  const env = { ...process.env, ...more };
  try {
    const { stdout } = await promisify(execFile)(command, [...args], { cwd, env, maxBuffer: 64 << 20 });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout.slice(-4000)}\n${stderr.slice(-4000)}`, {
      cause: error,
    });
  }
}

async function generate(language: string, ...properties: readonly string[]): Promise<string> {
  const folder = join(FOLDER, language);
  await rm(folder, { recursive: true, force: true });
  const options = `--additional-properties=${[OPEN, ...properties].join(',')}`;
  await run(
    'java',
    ['-jar', JAR, 'generate', '-i', 'openapi.json', '-g', language, '-o', folder, options],
    FOLDER,
  );
  return folder;
}

/** Calls the service by the program, and looks at what has become of it. */
async function expectDone(
  language: string,
  call: (more: Readonly<Record<string, string>>) => Promise<string>,
): Promise<void> {
  const name = `generated-${randomToken(6).toLowerCase()}`;
  const file = join(FOLDER, 'users.ndjson');
  const uploaded = {
    userName: `${name}-uploaded`,
    profile: { firstName: 'Grace', lastName: 'Hopper' },
    email: { email: `${name}@upload.test` },
  };
  await writeFile(file, `${JSON.stringify(uploaded)}\n`);
  const told = await call({ ...environment, USER_NAME: name, FILE: file, LATER });
  const { rows } = await api.sql.query(
    `SELECT h.nick_name, h.display_name, h.website_url FROM users u JOIN user_humans h ON h.user_id = u.id
     WHERE u.org_id = $1 AND u.user_name = $2`,
    [world.orgId, name],
  );
  expect(rows).toEqual([
    { nick_name: 'Countess', display_name: 'Ada Lovelace', website_url: 'https://ada.test/' },
  ]);
  expect(told.trim()).toMatch(new RegExp(`^${name} Ada Lovelace (queued|running|done) 1 later$`));
  await record({
    client: `openapi-generator, ${language}`,
    version: VERSION,
    did: ['import', 'read', 'change', 'upload', 'answer with new fields'],
    tweak: OPEN,
  });
}

describe('openapi-generator', () => {
  it('makes a Java client that compiles and calls', async () => {
    const folder = await generate('java', 'library=native');
    await rm(join(folder, 'src', 'test'), { recursive: true, force: true });
    await writeFile(join(folder, 'src', 'main', 'java', 'Call.java'), JAVA);
    const goals = ['compile', 'dependency:build-classpath', '-Dmdep.outputFile=classpath'];
    await run('mvn', ['-q', '-B', ...goals], folder);
    const found = await readFile(join(folder, 'classpath'), 'utf8');
    const classpath = [join(folder, 'target', 'classes'), found.trim()].join(delimiter);
    await expectDone('Java', (more) => run('java', ['-cp', classpath, 'Call'], folder, more));
  });

  it('makes a Python client that imports and calls', async () => {
    const folder = await generate('python');
    const venv = join(FOLDER, 'venv');
    if (!existsSync(venv)) await run('python3', ['-m', 'venv', venv], FOLDER);
    const python = join(venv, 'bin', 'python');
    await run(python, ['-m', 'pip', 'install', '-q', '-r', 'requirements.txt'], folder);
    await run(python, ['-m', 'compileall', '-q', 'openapi_client'], folder);
    await writeFile(join(folder, 'call.py'), PYTHON);
    await expectDone('Python', (more) => run(python, ['call.py'], folder, more));
  });

  it('makes a Go client that builds and calls', async () => {
    const folder = await generate('go');
    await rm(join(folder, 'test'), { recursive: true, force: true });
    await mkdir(join(folder, 'call'));
    await writeFile(join(folder, 'call', 'main.go'), GO);
    await run('go', ['mod', 'tidy'], folder);
    await run('go', ['build', './...'], folder);
    await run('go', ['build', '-o', 'call/call', './call'], folder);
    await expectDone('Go', (more) => run(join(folder, 'call', 'call'), [], folder, more));
  });
});

const JAVA = `
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.ManagementApi;
import org.openapitools.client.model.*;

public class Call {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("BASE_URL"));
    client.setRequestInterceptor(r -> r.header("Authorization", "Bearer " + System.getenv("TOKEN")));
    ManagementApi api = new ManagementApi(client);
    String name = System.getenv("USER_NAME");
    UsersImportHuman200Response added = api.usersImportHuman(
        new UsersImportHumanRequest()
            .userName(name)
            .profile(new UserListAddHumanRequestProfile().firstName("Ada").lastName("Lovelace").nickName("Countess"))
            .email(new UserListAddHumanRequestEmail().email(name + "@mail.test").isEmailVerified(true)),
        null, null);
    var profile = api.usersFind(added.getUserId(), null).getUser().getHuman().getProfile();
    api.userAccountsReplaceProfile(
        added.getUserId(),
        new UserAccountsReplaceProfileRequest()
            .firstName(profile.getFirstName()).lastName(profile.getLastName())
            .displayName(profile.getDisplayName()).nickName(profile.getNickName()).website("https://ada.test/"),
        null, null, null);
    var user = api.usersFind(added.getUserId(), null).getUser();
    var job = api.importsAdd(
        new java.io.File(System.getenv("FILE")), "ndjson", null, null, null, null, null, null, null, null);
    var later = ApiClient.createDefaultObjectMapper()
        .readValue(System.getenv("LATER"), UsersImportHuman200Response.class);
    System.out.println(user.getUserName() + " " + user.getHuman().getProfile().getDisplayName()
        + " " + job.getState().getValue() + " " + job.getCounts().getTotal() + " " + later.getUserId());
  }
}
`;

const PYTHON = `
import os
import openapi_client as client

configuration = client.Configuration(host=os.environ["BASE_URL"], access_token=os.environ["TOKEN"])
api = client.ManagementApi(client.ApiClient(configuration))
name = os.environ["USER_NAME"]
added = api.users_import_human(client.UsersImportHumanRequest.from_dict({
    "userName": name,
    "profile": {"firstName": "Ada", "lastName": "Lovelace", "nickName": "Countess"},
    "email": {"email": name + "@mail.test", "isEmailVerified": True},
}))
profile = api.users_find(added.user_id).user.human.profile.to_dict()
profile["website"] = "https://ada.test/"
api.user_accounts_replace_profile(added.user_id, client.UserAccountsReplaceProfileRequest.from_dict(profile))
user = api.users_find(added.user_id).user
job = api.imports_add(os.environ["FILE"], format="ndjson")
later = client.UsersImportHuman200Response.from_json(os.environ["LATER"])
print(user.user_name, user.human.profile.display_name, job.state, job.counts.total, later.user_id)
`;

const GO = `
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	client "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	api := client.NewAPIClient(configuration).ManagementAPI
	ctx := context.WithValue(context.Background(), client.ContextAccessToken, os.Getenv("TOKEN"))
	name := os.Getenv("USER_NAME")
	profile := client.NewUserListAddHumanRequestProfile("Ada", "Lovelace")
	profile.SetNickName("Countess")
	email := client.NewUserListAddHumanRequestEmail(name + "@mail.test")
	email.SetIsEmailVerified(true)
	human := client.NewUsersImportHumanRequest(name, *profile, *email)
	added, _, err := api.UsersImportHuman(ctx).UsersImportHumanRequest(*human).Execute()
	must(err)
	found, _, err := api.UsersFind(ctx, added.UserId).Execute()
	must(err)
	read := found.User.Human.Profile
	changed := client.NewUserAccountsReplaceProfileRequest()
	changed.FirstName = read.FirstName
	changed.LastName = read.LastName
	changed.SetDisplayName(read.DisplayName)
	changed.SetNickName(read.GetNickName())
	changed.SetWebsite("https://ada.test/")
	_, _, err = api.UserAccountsReplaceProfile(ctx, added.UserId).UserAccountsReplaceProfileRequest(*changed).Execute()
	must(err)
	found, _, err = api.UsersFind(ctx, added.UserId).Execute()
	must(err)
	file, err := os.Open(os.Getenv("FILE"))
	must(err)
	job, _, err := api.ImportsAdd(ctx).Format("ndjson").Body(file).Execute()
	must(err)
	var later client.UsersImportHuman200Response
	must(json.Unmarshal([]byte(os.Getenv("LATER")), &later))
	profileNow := found.User.Human.Profile
	fmt.Println(found.User.UserName, profileNow.DisplayName, job.State, *job.Counts.Total, later.UserId)
}
`;
