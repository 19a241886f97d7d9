import type { Script } from "./talk.ts";

/**
 * A contributor's work in shell commands: clone over HTTP, change, commit, push, open the pull request by the API, and say
 * where it is. Everything specific comes out of the prompt; the credential is what the agent finds in its environment.
 */
export function contributorScript(codeHostUrl: string): Script {
  return ({ prompt, results }) => {
    const [, repo, number] = /^Issue: (\S+)#(\d+)$/m.exec(prompt) ?? [];
    if (repo === undefined || number === undefined) return { say: "NEST_VERDICT: blocked I was told of no issue" };
    const branch = `nest/issue-${number}`;
    const address = `${codeHostUrl.replace("//", "//x-access-token:$GH_TOKEN@")}/${repo}.git`;
    const pull = JSON.stringify({
      title: `Resolve issue ${number}`,
      body: `What it asks for.\n\nFixes #${number}`,
      head: branch,
      base: "main",
    });
    const steps = [
      `git clone --quiet "${address}" checkout && git -C checkout checkout --quiet -b ${branch}`,
      `echo "Issue ${number} is resolved." > checkout/ISSUE-${number}.md && git -C checkout add . && ` +
        `git -C checkout -c user.name=agent -c user.email=agent@localhost commit --quiet -m "Resolve issue ${number}"`,
      `git -C checkout push --quiet origin ${branch}`,
      `curl --silent --show-error -H "Authorization: Bearer $GH_TOKEN" -H "Content-Type: application/json" ` +
        `-d '${pull}' ${codeHostUrl}/repos/${repo}/pulls`,
    ];
    const step = steps[results.length];
    if (step !== undefined) return { run: step };
    const link = /"html_url":\s*"([^"]+\/pull\/\d+)"/.exec(results.at(-1) ?? "")?.[1];
    if (link === undefined) return { say: `NEST_VERDICT: blocked ${results.at(-1)?.slice(0, 150)}` };
    return { say: `The pull request is open: ${link}\n\nNEST_VERDICT: complete` };
  };
}
