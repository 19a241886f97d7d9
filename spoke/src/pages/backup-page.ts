import { html } from "@nest/http";
import { route } from "@nest/protocol";
import { z } from "zod";
import { type Around, page } from "./page.ts";

/** Where the owner makes backups. */
export const ownBackupPage = route({
  method: "GET",
  path: "/backup",
  summary: "The owner's page for backups and their key",
  access: "owner",
  produces: "text/html",
  reply: z.string(),
});

/** The owner's backup page: the key's state, a form to set, replace or remove it, and the download with its progress. */
export function backupPage(visitor: Around["visitor"]): string {
  return page(
    "Backup · Nest",
    html`<h1>Backup</h1>
<p>An encrypted archive of this nest: its configuration, identity, app keys and the agents' work ledger.</p>
<noscript><p class="bad">This page needs scripts. Programs use POST /api/backup.</p></noscript>
<section aria-labelledby="download"><h2 id="download">Download</h2>
<p id="status" role="status">Looking …</p>
<p><button id="make" type="button" disabled>Make a backup</button> <button id="stop" type="button" hidden>Stop</button></p>
<progress id="progress" hidden aria-label="Download"></progress>
<p id="outcome" role="status"></p>
</section>
<section aria-labelledby="key"><h2 id="key">Encryption key</h2>
<p id="key-state">Looking …</p>
<form id="key-form" autocomplete="off">
<p><label for="encryption-key">Key, 64 hexadecimal characters</label><br>
<input id="encryption-key" name="encryptionKey" type="password" spellcheck="false" autocomplete="off" aria-describedby="key-help"></p>
<p><label for="key-name">Label, so that you find it again</label><br><input id="key-name" name="keyName" maxlength="128"></p>
<p id="key-help"><small>Keep the key somewhere else as well: a backup without its key cannot be restored by anybody. A new key does not
open older archives: they keep needing the key they were made with.</small></p>
<p><button type="submit" id="save">Save key</button> <button type="button" id="generate">Make a new key</button>
<button type="button" id="remove" hidden>Remove key</button></p>
<p id="key-outcome" role="status"></p>
</form></section>
<script src="/assets/backup.js" type="module"></script>`,
    { visitor, here: ownBackupPage.path },
  );
}
