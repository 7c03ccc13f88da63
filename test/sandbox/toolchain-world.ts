import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { aFolder } from "./gates.ts";

export const SECRET = "SECRET-c0ffee-DO-NOT-TELL";

/** Files with which tools log in, where they keep them. */
const SECRETS = [
  ".npmrc",
  ".netrc",
  ".ssh/id_ed25519",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".m2/settings.xml",
  ".m2/settings-security.xml",
  ".gradle/gradle.properties",
  ".nvm/versions/npmrc",
];

/**
 * A home with stand-ins for rustup, Maven and Gradle: scripts that read and write the folders that those need, and fail
 * without them.
 */
export class ToolchainWorld {
  readonly home = aFolder("toolchain-home-");
  readonly list = join(aFolder("toolchain-config-"), "toolchains");
  readonly path = `${join(this.home, ".cargo/bin")}:${join(this.home, ".tools/bin")}:${process.env["PATH"]}`;

  constructor() {
    for (const path of SECRETS) this.write(path, SECRET);
    // As rustup does it: every program is a link to one, which finds the chosen toolchain.
    this.write(
      ".cargo/bin/rustup",
      '#!/bin/sh\nset -e\nroot=${RUSTUP_HOME:-$HOME/.rustup}\nread -r chosen < "$root/settings.toml"\nexec "$root/toolchains/$chosen/bin/${0##*/}" "$@"\n',
    );
    symlinkSync("rustup", join(this.home, ".cargo/bin/cargo"));
    this.write(".rustup/settings.toml", "stable\n");
    this.write(
      ".rustup/toolchains/stable/bin/cargo",
      '#!/bin/sh\nset -e\nhome=${CARGO_HOME:-$HOME/.cargo}\necho locked > "$home/.package-cache"\ncat "$home/registry/index/serde"\n',
    );
    this.write(".cargo/registry/index/serde", "cargo ran\n");
    this.write(
      ".tools/bin/mvn",
      '#!/bin/sh\nset -e\nmkdir -p "$HOME/.m2/repository/org"\necho checked > "$HOME/.m2/repository/resolver-status.properties"\ncat "$HOME/.m2/repository/org/junit.jar"\n',
    );
    this.write(".m2/repository/org/junit.jar", "mvn ran\n");
    this.write(
      ".tools/bin/gradle",
      '#!/bin/sh\nset -e\necho locked > "$HOME/.gradle/caches/journal.lock"\ncat "$HOME/.gradle/caches/modules/junit.jar"\n',
    );
    this.write(".gradle/caches/modules/junit.jar", "gradle ran\n");
  }

  /** A script if it begins as one. */
  write(path: string, text: string): void {
    const place = join(this.home, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
    if (text.startsWith("#!")) chmodSync(place, 0o755);
  }

  allow(...lines: readonly string[]): void {
    writeFileSync(this.list, `# folders that gates may see\n\n${lines.join("\n")}\n`, { mode: 0o600 });
  }
}
