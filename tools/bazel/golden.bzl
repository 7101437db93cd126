"""Plans that are checked in and compared byte for byte."""

load("//tools/bazel:diff_test.bzl", "diff_test")

# Warnings of the import are shown only if the command fails.
_RUN = """
run() {
  if ! $(location //tools/octopipe) "$$@" 2>$(@D)/log; then
    cat $(@D)/log >&2
    exit 1
  fi
}
"""

def golden_plan(name, profile, flags, programs_flags = None):
    """Tests `<name>/summary.txt` and `metrics.json`, and perhaps `programs.txt`.

    Args:
      name: of the folder of the checked-in files, and of the generated ones,
        which lie under generated/<name>.
      profile: label of the profile that is planned.
      flags: what `octopipe plan` is given beside it for summary and metrics.
      programs_flags: what it is given for the plan of which `programs.txt`
        lists each device's order; without it there is none.
    """
    outs = ["summary.txt", "metrics.json"]
    cmd = _RUN + " ".join(
        ["run plan $(location %s)" % profile] + flags +
        ["--metrics=$(RULEDIR)/generated/%s/metrics.json" % name] +
        ["> $(RULEDIR)/generated/%s/summary.txt\n" % name],
    )
    if programs_flags != None:
        outs.append("programs.txt")
        cmd += " ".join(
            ["run plan $(location %s) -q -o $(@D)/plan.pb" % profile] + programs_flags +
            ["&& run show $(@D)/plan.pb --programs"] +
            ["> $(RULEDIR)/generated/%s/programs.txt\n" % name],
        )
    native.genrule(
        name = name + "_generate",
        # Not in `tools`, for which Bazel would build everything once more.
        srcs = [profile, "//tools/octopipe"],
        outs = ["generated/%s/%s" % (name, out) for out in outs],
        cmd = cmd,
    )
    for out in outs:
        diff_test(
            name = "%s_%s_test" % (name, out.split(".")[0]),
            checked_in = "%s/%s" % (name, out),
            generated = "generated/%s/%s" % (name, out),
        )
